import { visiblePayload } from '../jobs/visible-payload.ts'
import { secretDigest } from '../signing/same-secret.ts'

const KEY_DIGEST_CHARS = 8

/**
 * The input as the audit log may keep it, whoever asked: license keys by digest only, of webhook addresses
 * their origin (what follows is often a secret), of `env` the names, addresses without credentials, known
 * secrets redacted.
 */
export function auditableInput(input: unknown): Readonly<Record<string, unknown>> {
  const kept: unknown = JSON.parse(JSON.stringify(input, withoutNamedSecrets))
  return typeof kept === 'object' && kept !== null ? visiblePayload({ ...kept }) : {}
}

function withoutNamedSecrets(key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (key === 'password') return '[redacted:password]'
  if (key === 'url' && URL.canParse(value)) return new URL(value).origin
  const isKey = key === 'license' && !value.startsWith('lic_')
  return isKey ? `key:${secretDigest(value).slice(0, KEY_DIGEST_CHARS)}` : value
}
