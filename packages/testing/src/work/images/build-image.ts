import type { NewImage } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Returns the registration of a snapshot that says nothing but its id, changed by `fields`. */
export function buildImage(fields: Partial<NewImage> = {}): NewImage {
  const id = fields.id ?? buildId('img')
  return {
    id,
    licenseId: 'lic_test',
    fingerprint: 'fp-1',
    repo: 'repo-1',
    checksum: id.replace('_', '').padEnd(64, '0'),
    engine: undefined,
    kind: undefined,
    app: undefined,
    hostname: undefined,
    label: undefined,
    sizeBytes: undefined,
    addedBytes: undefined,
    capturedAt: undefined,
    durationSeconds: undefined,
    paths: undefined,
    tags: undefined,
    parent: undefined,
    encrypted: undefined,
    verifiedAt: undefined,
    jobId: undefined,
    attempt: undefined,
    ...fields,
  }
}
