import { visiblePayload } from '../../kernel/redaction/visible-payload.ts'
import { secretDigest } from '../signing/same-secret.ts'
import { CUT_INPUT } from './audit-store.ts'

const KEY_DIGEST_CHARS = 8

/** Characters of JSON that an input may have in all, and each of its fields in one that has more. */
const MAX_CHARS = { all: 4096, field: 256 }

/**
 * Returns the input for the audit log: license keys as digests, webhook addresses as origins (the rest is
 * often a secret), only the names of `env`, addresses without credentials, and known secrets redacted. The
 * long fields of a long input are told by their length alone, since nothing removes rows of the log.
 */
export function auditableInput(input: unknown): Readonly<Record<string, unknown>> {
  const kept: unknown = JSON.parse(JSON.stringify(input, withoutNamedSecrets))
  return typeof kept === 'object' && kept !== null ? briefly(visiblePayload({ ...kept })) : {}
}

const charsOf = (value: unknown): number => JSON.stringify(value).length

/** Cuts the longest fields first, one level deeper where a field holds others: `payload` keeps its `app`. */
function briefly(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (charsOf(input) <= MAX_CHARS.all) return input
  const fields = Object.entries(input).map(([key, value]) => [key, shortened(value, true)])
  const brief: Readonly<Record<string, unknown>> = Object.fromEntries(fields)
  return charsOf(brief) <= MAX_CHARS.all ? brief : CUT_INPUT
}

function shortened(value: unknown, isTop: boolean): unknown {
  const chars = charsOf(value)
  if (chars <= MAX_CHARS.field) return value
  if (!isTop || typeof value !== 'object' || value === null || Array.isArray(value))
    return `[${chars} characters]`
  const fields = Object.entries(value).map(([key, each]) => [key, shortened(each, false)])
  const brief: unknown = Object.fromEntries(fields)
  return charsOf(brief) <= MAX_CHARS.all / 2 ? brief : `[${chars} characters]`
}

function withoutNamedSecrets(key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (['password', 'pin', 'secret'].includes(key)) return `[redacted:${key}]`
  if (key === 'token' && !value.startsWith('tkn_')) return '[redacted:token]'
  if (key === 'url' && URL.canParse(value)) return new URL(value).origin
  const isKey = key === 'license_key' || (key === 'license' && !value.startsWith('lic_'))
  return isKey ? `key:${secretDigest(value).slice(0, KEY_DIGEST_CHARS)}` : value
}
