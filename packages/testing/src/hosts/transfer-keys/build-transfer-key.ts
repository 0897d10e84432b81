import { type NewTransferKey, secretDigest } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'

/** Returns a key for one session that ends an hour after the fake clock begins, changed by `fields`. */
export function buildTransferKey(fields: Partial<NewTransferKey> = {}): NewTransferKey {
  const id = fields.id ?? buildId('xfr')
  return {
    id,
    licenseId: 'lic_test',
    keyDigest: secretDigest(`key of ${id}`),
    sourceFingerprint: 'fp-1',
    targetFingerprint: 'fp-2',
    mode: 'pull',
    maxUses: 1,
    pinKind: 'none',
    pinSpki: undefined,
    pinHash: undefined,
    scope: undefined,
    expiresAt: new FakeClock().advance({ hours: 1 }),
    mostActive: 50,
    ...fields,
  }
}
