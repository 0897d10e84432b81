import { randomBytes } from 'node:crypto'

/** Bytes of a key: AES-256. */
const KEY_BYTES = 32
const ENTRY = /^([A-Za-z0-9_-]{1,16}):([A-Za-z0-9+/]{43}=?|[A-Za-z0-9_-]{43})$/

/** A key for secrets at rest. */
export interface DataKey {
  /** The name that sealed texts carry. */
  readonly id: string
  readonly bytes: Buffer
}

/** Reads `<id>:<base64 of 32 bytes>`; undefined if the text has another form. */
export function parseDataKey(entry: string): DataKey | undefined {
  const [, id, text] = ENTRY.exec(entry) ?? []
  if (id === undefined || text === undefined) return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === KEY_BYTES ? { id, bytes } : undefined
}

/** Whether a text is a data key. */
export const isDataKey = (entry: string): boolean => parseDataKey(entry) !== undefined

/** Makes a data key as settings spell it. */
export const newDataKey = (id: string): string => `${id}:${randomBytes(KEY_BYTES).toString('base64')}`
