import type { Scope } from '../../../kernel/scope.ts'
import type { EmailKey } from './email-key.ts'

/** A new key. The key itself is never stored. */
export type NewEmailKey = Pick<EmailKey, 'id' | 'owner' | 'name' | 'prefix' | 'domainId' | 'expiresAt'> & {
  /** SHA-256 of the key, in hex. */
  readonly digest: string
}

/** Page of a list, ordered by id. */
export interface EmailKeyPage {
  /** Only keys with a later id. */
  readonly after?: string | undefined
  readonly limit: number
}

declare module '../../../platform/storage/storage.ts' {
  interface Stores {
    readonly emailKeys: EmailKeysStore
  }
}

/** Storage of sending keys. */
export interface EmailKeysStore {
  /**
   * Adds a key if its owner has fewer than `limit` that are not revoked. Returns undefined if there is no
   * room.
   */
  add(key: NewEmailKey, limit: number, now?: Date): Promise<EmailKey | undefined>
  /**
   * Returns the key with this digest if it is neither revoked nor expired, and records the use, at most once
   * a minute.
   */
  use(digest: string, now?: Date): Promise<EmailKey | undefined>
  /** Returns a key that is not revoked. */
  find(scope: Scope, id: string): Promise<EmailKey | undefined>
  /** Lists keys that are not revoked, expired ones too. */
  list(scope: Scope, page: EmailKeyPage): Promise<readonly EmailKey[]>
  /** Revokes a key for good. Returns false if there is none with this id, or it is revoked already. */
  revoke(id: string, now?: Date): Promise<boolean>
  /** Deletes keys that were revoked or expired more than `keptDays` days ago. Returns their number. */
  purge(keptDays: number, now?: Date): Promise<number>
}
