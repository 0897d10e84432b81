import { defineEntity, p } from '@mikro-orm/core'
import { fact, float, type TablesOf, time, valuesOf, word } from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import type { Image, ImageEngine, ImageKind, ImageState } from './image.ts'

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
    engine: word(p.text().$type<ImageEngine>()),
    kind: word(p.text().$type<ImageKind>()),
    app: fact(p.text().nullable()),
    hostname: fact(p.text().nullable()),
    label: fact(p.text().nullable()),
    sizeBytes: float().nullable(),
    addedBytes: float().nullable(),
    capturedAt: time(),
    durationS: float().nullable(),
    paths: fact(p.array()),
    tags: fact(p.array()),
    parent: fact(p.text().nullable()),
    encrypted: p.boolean().nullable(),
    verifiedAt: time().nullable(),
    jobId: word(p.text().nullable()),
    state: word(p.text().$type<ImageState>().default('available')),
    firstSeenAt: time(),
    lastSeenAt: time(),
    prunedAt: time().nullable(),
  },
})

/** Its tables. */
export const entities = [ImageEntity]

const read = valuesOf(ImageEntity)
/** Reads a row of `images`. */
export function toImage(row: object): Image {
  const { durationS: durationSeconds, ...image } = read(row)
  return { ...image, durationSeconds }
}

interface Tables extends TablesOf<typeof ImageEntity> {}

/** Statements over the table. */
export const { statement, scoped } = statementsOver<Tables>()
