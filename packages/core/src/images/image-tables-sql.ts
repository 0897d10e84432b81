import { defineEntity, p } from '@mikro-orm/core'
import { fact, time, word } from '../database/table-sql.ts'

/** Table `images`. */
export const ImageEntity = defineEntity({
  name: 'Image',
  tableName: 'images',
  properties: {
    id: word(p.text().primary()),
    licenseId: word(p.text()),
    fingerprint: fact(p.text()),
    repo: fact(p.text()),
    checksum: fact(p.text()),
    engine: word(p.text()),
    kind: word(p.text()),
    app: fact(p.text().nullable()),
    hostname: fact(p.text().nullable()),
    label: fact(p.text().nullable()),
    sizeBytes: p.double().nullable(),
    addedBytes: p.double().nullable(),
    capturedAt: time(),
    durationS: p.double().nullable(),
    paths: fact(p.array()),
    tags: fact(p.array()),
    parent: fact(p.text().nullable()),
    encrypted: p.boolean().nullable(),
    verifiedAt: time().nullable(),
    jobId: word(p.text().nullable()),
    state: word(p.text().default('available')),
    firstSeenAt: time(),
    lastSeenAt: time(),
    prunedAt: time().nullable(),
  },
})

/** Its tables. */
export const entities = [ImageEntity]
