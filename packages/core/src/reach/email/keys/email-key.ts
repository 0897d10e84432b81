import { EMAIL_KEY_PREFIX } from '../../../people/licenses/license.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const CHARS = 40
const KEY = /^svce_[0-9A-Za-z]{40}$/
/** Characters of a key that are shown, to tell one from another. */
const SHOWN_CHARS = 9
const SECRET_BYTES = 32

/** A key that sends messages, and opens nothing else. */
export interface EmailKey {
  readonly id: string
  /** Id of the license that it belongs to; `''` for a key of the platform. */
  readonly owner: string
  /** The purpose, for people. */
  readonly name: string
  /** The first characters of the key. */
  readonly prefix: string
  /** The only domain that it may send from; undefined: any of its owner. */
  readonly domainId: string | undefined
  readonly createdAt: Date
  readonly expiresAt: Date | undefined
  /** Accurate to a minute; undefined if it was never used. */
  readonly lastUsedAt: Date | undefined
}

/** Keys of one owner at most. */
export const KEYS_PER_OWNER = 20
/** A key ends within two years. */
export const KEY_SECONDS = 2 * 366 * 86_400

/** Returns a new sending key: `svce_` and 40 characters, from 238 random bits. */
export function newEmailKey(secret: (bytes: number) => string): string {
  let rest = BigInt(`0x${Buffer.from(secret(SECRET_BYTES), 'base64url').toString('hex')}`)
  let text = ''
  for (let at = 0; at < CHARS; at += 1) {
    text += ALPHABET[Number(rest % 62n)]
    rest /= 62n
  }
  return `${EMAIL_KEY_PREFIX}${text}`
}

/** The part of a key that may be shown. */
export const shownPart = (key: string): string => key.slice(0, SHOWN_CHARS)

/** Whether a text has the form of a sending key. */
export const hasEmailKeyForm = (text: string): boolean => KEY.test(text)
