import type { ApiToken } from './api-token.ts'

/** A new token. The token itself is never stored. */
export type NewApiToken = Pick<ApiToken, 'id' | 'label' | 'role' | 'tenantId' | 'createdBy' | 'expiresAt'> & {
  /** SHA-256 of the token, in hex. */
  readonly digest: string
}

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly apiTokens: ApiTokensStore
  }
}

/** Storage of API tokens. */
export interface ApiTokensStore {
  add(token: NewApiToken, now?: Date): Promise<ApiToken>
  /**
   * Returns the token with this digest if it is neither revoked nor expired, and records the use: at most
   * once a minute, since a write for each request would cost more than the request.
   */
  use(digest: string, now?: Date): Promise<ApiToken | undefined>
  /** Lists the tokens that are not revoked, ordered by id, expired ones too. */
  list(): Promise<readonly ApiToken[]>
  /** Revokes a token for good. Returns undefined if there is none with this id, or it is revoked already. */
  revoke(id: string, now?: Date): Promise<ApiToken | undefined>
  /** Deletes tokens that were revoked or expired more than `keptDays` days ago. Returns their number. */
  purge(keptDays: number, now?: Date): Promise<number>
}
