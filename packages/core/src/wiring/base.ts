import { availableParallelism } from 'node:os'
import { relaySignerOf } from '../hosts/access/relay-token.ts'
import { systemClock } from '../kernel/clock.ts'
import { randomIds } from '../kernel/ids.ts'
import { silentLog } from '../kernel/log.ts'
import { systemTimers } from '../kernel/timers.ts'
import type { Base } from '../platform/base.ts'
import { Metrics } from '../platform/metrics/metrics.ts'
import { Passwords } from '../platform/passwords/passwords.ts'
import { Keyring } from '../platform/secrets/keyring.ts'
import { Signer } from '../platform/signing/signer.ts'
import type { ControlPlaneParts } from './control-plane.ts'

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
  const ownSecrets = !production && parts.serves !== false
  return { ...tools, passwords, keyring, issuer, production, ownSecrets }
}
