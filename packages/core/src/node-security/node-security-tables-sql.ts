import { defineEntity, p } from '@mikro-orm/core'
import { fact, person, time, word } from '../database/table-sql.ts'

/** Table `node_security_revisions`. */
export const SecurityRevisionEntity = defineEntity({
  name: 'SecurityRevision',
  tableName: 'node_security_revisions',
  properties: {
    licenseId: word(p.text().primary()),
    fingerprint: fact(p.text().primary()),
    revision: p.integer().primary(),
    settings: fact(p.json()),
    sha256: fact(p.text()),
    updatedAt: time(),
    updatedBy: person(p.text()),
  },
})

/** Its tables. */
export const entities = [SecurityRevisionEntity]
