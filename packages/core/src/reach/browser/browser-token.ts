/** The beginning of every stored browser token. */
export const BROWSER_TOKEN_PREFIX = 'svcb_'

const TOKEN_BYTES = 32
const TOKEN = /^svcb_[\w-]{43}$/

/** Pages and runs of a token a day, unless it says another number. */
export const DAILY_LIMIT = 500
/** Most pages and runs a day that a token may have. */
export const MOST_DAILY = 1_000_000

/** A token that drives the browser worker, and nothing else. */
export interface BrowserToken {
  readonly id: string
  /** The purpose, for people. */
  readonly label: string
  /** The token is good while this license is; undefined: it belongs to the platform. */
  readonly licenseId: string | undefined
  /** Scrapes and agent calls a day (UTC). */
  readonly dailyLimit: number
  readonly createdAt: Date
  /** Accurate to a minute; undefined if the token was never used. */
  readonly lastUsedAt: Date | undefined
}

/** Returns a new token: `svcb_` and 43 base64url characters of 256 random bits. */
export const newBrowserToken = (secret: (bytes: number) => string): string =>
  `${BROWSER_TOKEN_PREFIX}${secret(TOKEN_BYTES)}`

/** Whether a bearer credential means to be a stored browser token, good or not. */
export const isBrowserTokenLike = (bearer: string): boolean => bearer.startsWith(BROWSER_TOKEN_PREFIX)

/** Whether a text has the form of a stored browser token. */
export const hasBrowserTokenForm = (text: string): boolean => TOKEN.test(text)

/** The caller of the browser worker. */
export interface BrowserCaller {
  /** Names the caller: limits, sessions and rows are of this id. */
  readonly id: string
  /** Whether a stored token is the caller, whose days are counted. */
  readonly isStored: boolean
}

/** Operators on the control plane itself. */
export const OPERATOR: BrowserCaller = { id: 'operator', isStored: false }
