import { type NewApiToken, secretDigest } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Returns a token of the platform that never expires, with a unique digest. */
export function buildApiToken(fields: Partial<NewApiToken> = {}): NewApiToken {
  const id = fields.id ?? buildId('tkn')
  const digest = secretDigest(`token of ${id}`)
  const plain = { label: '', role: 'viewer', tenantId: undefined, createdBy: 'cli:ann@desk' } as const
  return { ...plain, id, digest, expiresAt: undefined, ...fields } as NewApiToken
}
