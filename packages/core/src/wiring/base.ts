import { availableParallelism } from 'node:os'
import type { Base } from '../base.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { ControlPlaneParts } from '../control-plane.ts'
import { randomIds } from '../ids.ts'
import { silentLog } from '../log.ts'
import { Metrics } from '../metrics/metrics.ts'
import { Passwords } from '../passwords/passwords.ts'
import { Keyring } from '../secrets/keyring.ts'
import { Signer } from '../signing/signer.ts'
import { systemTimers } from '../timers.ts'

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

/** The signer of relay tokens: with a key of its own, or with the other tokens' key. */
export function relaySignerOf({ relay, signing }: Config): Signer {
  const { privateKey } = relay
  if (privateKey === undefined) return new Signer(signing)
  return new Signer({ ...signing, privateKey, setting: 'SERVICE_RELAY_PRIVKEY' })
}
