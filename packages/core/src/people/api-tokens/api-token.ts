import type { Membership } from '../../platform/operations/permission.ts'

/** The beginning of every API token. */
export const API_TOKEN_PREFIX = 'svcat_'

const TOKEN_BYTES = 32
const TOKEN = /^svcat_[\w-]{43}$/

/** A program's way in: it holds a role, of the platform or of one tenant, and belongs to no person. */
export type ApiToken = {
  readonly id: string
  /** The purpose, for people. */
  readonly label: string
  /** Name of the operator who issued the token, as the audit log has it. */
  readonly createdBy: string
  readonly createdAt: Date
  /** Accurate to a minute; undefined if the token was never used. */
  readonly lastUsedAt: Date | undefined
  /** If undefined, the token is good until it is revoked. */
  readonly expiresAt: Date | undefined
} & Membership

/** Returns a new token: `svcat_` and 43 base64url characters of 256 random bits. */
export const newApiToken = (secret: (bytes: number) => string): string =>
  `${API_TOKEN_PREFIX}${secret(TOKEN_BYTES)}`

/** Whether a bearer credential means to be an API token, good or not. */
export const isApiTokenLike = (bearer: string): boolean => bearer.startsWith(API_TOKEN_PREFIX)

/** Whether a text has the form of an API token. */
export const hasApiTokenForm = (text: string): boolean => TOKEN.test(text)
