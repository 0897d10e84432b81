import { type NewLicense, secretDigest } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Returns a license that never expires, with a unique key. */
export function buildLicense(fields: Partial<NewLicense> = {}): NewLicense {
  const id = fields.id ?? buildId('lic')
  return {
    id,
    keyDigest: buildKeyDigest(id),
    tenantId: undefined,
    label: '',
    expiresAt: undefined,
    ...fields,
  }
}

const buildKeyDigest = (id: string): string => secretDigest(`svc_key_of_${id}`)
