import type { Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import type { Timers } from '../kernel/timers.ts'
import type { Config } from './config/config.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Passwords } from './passwords/passwords.ts'
import type { Keyring } from './secrets/keyring.ts'
import type { Signer } from './signing/signer.ts'
import type { Storage } from './storage/storage.ts'

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
  /** Whether secrets that no setting names are made up for the life of the process. */
  readonly ownSecrets: boolean
}
