import { secretDigest } from '../../signing/same-secret.ts'

/** SHA-256 of a JSON value, in hex, whatever the order of its fields. */
export const canonicalDigest = (value: unknown): string => secretDigest(JSON.stringify(value, inOrder) ?? '')

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}
