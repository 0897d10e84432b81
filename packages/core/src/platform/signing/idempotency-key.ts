import { Problem } from '../../kernel/problem.ts'
import { secretDigest } from './same-secret.ts'

const KEY = /^[\x20-\x7e]{1,256}$/

/** @throws Problem `invalid-input` unless an `Idempotency-Key` has 1 to 256 printable ASCII characters */
export function checkIdempotencyKey(key: string | undefined): void {
  if (key === undefined || KEY.test(key)) return
  throw new Problem('invalid-input', {
    details: ['Idempotency-Key: expected 1 to 256 printable ASCII characters'],
  })
}

/** SHA-256 of a JSON value, in hex, independent of the order of its fields. */
export const canonicalDigest = (value: unknown): string => secretDigest(JSON.stringify(value, inOrder) ?? '')

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}
