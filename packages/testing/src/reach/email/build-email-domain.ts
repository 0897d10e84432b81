import type { NewEmailDomain } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Returns a new domain of a license, with a selector of its own. */
export function buildEmailDomain(fields: Partial<NewEmailDomain> = {}): NewEmailDomain {
  const id = fields.id ?? buildId('dom')
  const key = { selector: `svc${id.slice(-12)}`, privateKey: `sealed of ${id}`, publicKey: 'MIIB' }
  return { id, owner: buildId('lic'), name: 'mail.example.com', key, ...fields }
}
