import type { BrowserToken } from './browser-token.ts'

/** A new token. The token itself is never stored. */
export type NewBrowserToken = Pick<BrowserToken, 'id' | 'label' | 'licenseId' | 'dailyLimit'> & {
  /** SHA-256 of the token, in hex. */
  readonly digest: string
}

/** Kinds of work of the browser worker. */
export const BROWSER_WORK = ['scrape', 'observe', 'act', 'run'] as const
export type BrowserWork = (typeof BROWSER_WORK)[number]

/** Work that begins. Only the host of its page is noted. */
export interface NewBrowserRun {
  readonly id: string
  /** Id of the caller: of a stored token, or of one of the settings. */
  readonly tokenId: string
  readonly kind: BrowserWork
  readonly urlHost: string
}

/** How work ended. */
export interface BrowserRunEnd {
  readonly id: string
  /** A word of the service. */
  readonly status: string
  readonly steps: number
  readonly ms: number
  /** Bytes to and from pages. */
  readonly bytes: number
  /** Tokens of the language model, both ways, as it counts them. */
  readonly llmTokens: number
}

/** Work as it is noted. */
export interface BrowserRun extends NewBrowserRun, Omit<BrowserRunEnd, 'id'> {
  readonly createdAt: Date
}

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly browser: BrowserStore
  }
}

/** Storage of browser tokens and of the work that was done with them. */
export interface BrowserStore {
  addToken(token: NewBrowserToken, now?: Date): Promise<BrowserToken>
  /** Returns the token with this digest if it is not revoked, and records the use, at most once a minute. */
  useToken(digest: string, now?: Date): Promise<BrowserToken | undefined>
  /** Returns whether there is a token that is not revoked. */
  hasTokens(): Promise<boolean>
  /** Lists the tokens that are not revoked, ordered by id. */
  listTokens(): Promise<readonly BrowserToken[]>
  /** Revokes a token for good. Returns undefined if there is none with this id, or it is revoked already. */
  revokeToken(id: string, now?: Date): Promise<BrowserToken | undefined>
  /**
   * Notes work as running. With `isStored` it first takes one off the token's day; returns false, and notes
   * nothing, if the day (UTC) is used up or the token is revoked.
   */
  begin(run: NewBrowserRun, isStored: boolean, now?: Date): Promise<boolean>
  /** Notes the end of work. Work that has ended already stays as it is. */
  finish(end: BrowserRunEnd): Promise<void>
  /** Returns work, newest first. */
  listRuns(limit: number): Promise<readonly BrowserRun[]>
  /**
   * Deletes work older than `keptDays` days, and tokens that were revoked longer ago. Returns the number of
   * rows.
   */
  purge(keptDays: number, now?: Date): Promise<number>
}
