import type { Scope } from '../../kernel/scope.ts'
import type { TransferKey } from './transfer-key.ts'

/** A new key. */
export type NewTransferKey = Omit<
  TransferKey,
  'uses' | 'pinFails' | 'createdAt' | 'lastUsedAt' | 'revokedAt'
> & {
  /** Most active keys of the license, this one included. Several mints at once may exceed it by a few. */
  readonly mostActive: number
}

/** A session that a key opened. */
export interface TransferUse {
  readonly id: string
  readonly keyId: string
  readonly at: Date
  /** The peer that listens, and asked. */
  readonly callerFingerprint: string
  readonly peerFingerprint: string
}

/** A redemption. `isReserved`: a try at the PIN was counted before, and was right. */
export interface Redemption extends Omit<TransferUse, 'at'> {
  readonly isReserved: boolean
}

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly transferKeys: TransferKeysStore
  }
}

/** Transfer keys, and the sessions that they opened. */
export interface TransferKeysStore {
  /**
   * Stores a key between two hosts of the license. `no-host`: it has not both of them; `full`: it has as
   * many active keys as it may.
   */
  add(key: NewTransferKey, now?: Date): Promise<TransferKey | 'no-host' | 'full'>
  /** Whether the license has a host with this fingerprint. */
  knowsHost(licenseId: string, fingerprint: string): Promise<boolean>
  get(scope: Scope, id: string): Promise<TransferKey | undefined>
  /** The keys of a scope, newest first. */
  list(scope: Scope, limit: number): Promise<readonly TransferKey[]>
  /** The sessions that a key opened, oldest first. */
  uses(keyId: string): Promise<readonly TransferUse[]>
  /**
   * Counts a try at the PIN of an active key as wrong, before it is checked: so many checks at once get no
   * more tries. A right one is given back by `redeem`. Undefined if the key is not active.
   */
  tryPin(id: string, now?: Date): Promise<TransferKey | undefined>
  /** Counts a use of an active key and notes the session; undefined if the key is not active. */
  redeem(redemption: Redemption, now?: Date): Promise<TransferKey | undefined>
  /** Ends a key of the scope for good; a repeat changes nothing. Undefined if the scope has none. */
  revoke(scope: Scope, id: string, now?: Date): Promise<TransferKey | undefined>
  /** Deletes keys that ended more than `keptDays` days ago, with their sessions. Returns their number. */
  purge(keptDays: number, now?: Date): Promise<number>
}
