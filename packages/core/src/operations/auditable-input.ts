import { visiblePayload } from '../jobs/visible-payload.ts'
import { secretDigest } from '../signing/same-secret.ts'

const KEY_DIGEST_CHARS = 8

/**
 * Returns the input for the audit log: license keys as digests, webhook addresses as origins (the rest is
 * often a secret), only the names of `env`, addresses without credentials, and known secrets redacted.
 */
export function auditableInput(input: unknown): Readonly<Record<string, unknown>> {
  const kept: unknown = JSON.parse(JSON.stringify(input, withoutNamedSecrets))
  return typeof kept === 'object' && kept !== null ? visiblePayload({ ...kept }) : {}
}

function withoutNamedSecrets(key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (['password', 'pin', 'secret'].includes(key)) return `[redacted:${key}]`
  if (key === 'token' && !value.startsWith('tkn_')) return '[redacted:token]'
  if (key === 'url' && URL.canParse(value)) return new URL(value).origin
  const isKey = key === 'license_key' || (key === 'license' && !value.startsWith('lic_'))
  return isKey ? `key:${secretDigest(value).slice(0, KEY_DIGEST_CHARS)}` : value
}
