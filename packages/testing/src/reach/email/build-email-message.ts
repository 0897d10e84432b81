import { type NewEmailKey, type NewEmailMessage, newEmailKey, secretDigest } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Returns a new message of a license to one recipient. */
export function buildEmailMessage(fields: Partial<NewEmailMessage> = {}): NewEmailMessage {
  const id = fields.id ?? buildId('em')
  return {
    id,
    owner: buildId('lic'),
    kind: 'api',
    domainId: buildId('dom'),
    keyId: undefined,
    from: 'ann@mail.example.com',
    tags: {},
    recipients: [{ address: 'bob@example.net', role: 'to', state: 'queued' }],
    body: { key: `key of ${id}`, text: `sealed of ${id}` },
    ...fields,
  }
}

/** Returns a new sending key of a license, with a digest of its own. */
export function buildEmailKey(fields: Partial<NewEmailKey> = {}): NewEmailKey {
  const id = fields.id ?? buildId('ek')
  const text = newEmailKey(() => Buffer.from(id.padEnd(32, '0')).toString('base64url'))
  const plain = { name: 'app', domainId: undefined, expiresAt: undefined }
  return {
    id,
    owner: buildId('lic'),
    prefix: text.slice(0, 9),
    digest: secretDigest(id),
    ...plain,
    ...fields,
  }
}
