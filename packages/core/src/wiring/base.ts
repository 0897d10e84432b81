import { availableParallelism } from 'node:os'
import type { Clock } from '../clock.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { ControlPlaneParts } from '../control-plane.ts'
import { type Ids, randomIds } from '../ids.ts'
import { type Log, silentLog } from '../log.ts'
import { Metrics } from '../metrics/metrics.ts'
import { Keyring } from '../secrets/keyring.ts'
import { Signer } from '../signing/signer.ts'
import type { Storage } from '../storage/storage.ts'
import { systemTimers, type Timers } from '../timers.ts'
import { Passwords } from '../users/passwords.ts'

/** Dependencies that all features share. */
export interface Base {
  readonly config: Config
  readonly storage: Storage
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly timers: Timers
  readonly metrics: Metrics
  readonly signer: Signer
  /** Signs the tokens of sessions on hosts. */
  readonly relaySigner: Signer
  readonly passwords: Passwords
  readonly keyring: Keyring
  /** `iss` of tokens. */
  readonly issuer: string
  readonly production: boolean
}

/** `iss` if the service has no public address. */
const ISSUER = 'svc'

/** Returns the given parts, with production defaults for the others. */
export function baseOf(parts: ControlPlaneParts): Base {
  const { config, storage, clock = systemClock, ids = randomIds(clock), log = silentLog } = parts
  const { production, publicUrl: issuer = ISSUER } = config.service
  const { timers = systemTimers, passwords = new Passwords() } = parts
  const { threads = availableParallelism() > 2 } = parts
  const relaySigner = relaySignerOf(config)
  const signer = new Signer({ ...config.signing, threads, published: relaySigner.jwks() })
  const tools = { config, storage, clock, ids, log, timers, metrics: new Metrics(), signer, relaySigner }
  const keyring = new Keyring([...config.secrets.dataKeys, ...(storage.dataKeys ?? [])])
  return { ...tools, passwords, keyring, issuer, production }
}

/** The signer of relay tokens: with a key of its own, or with that of the other tokens. */
export function relaySignerOf({ relay, signing }: Config): Signer {
  const { privateKey } = relay
  if (privateKey === undefined) return new Signer(signing)
  return new Signer({ ...signing, privateKey, setting: 'SERVICE_RELAY_PRIVKEY' })
}
