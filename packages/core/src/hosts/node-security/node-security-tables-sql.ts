import { defineEntity, p } from '@mikro-orm/core'
import { fact, person, type TablesOf, time, valuesOf, word } from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import type { SecuritySettings } from './security-settings.ts'

/** Table `node_security_revisions`. */
export const SecurityRevisionEntity = defineEntity({
  name: 'SecurityRevision',
  tableName: 'node_security_revisions',
  properties: {
    licenseId: word(p.text().primary()),
    fingerprint: fact(p.text().primary()),
    revision: p.integer().primary(),
    settings: fact(p.json().$type<SecuritySettings>()),
    sha256: fact(p.text()),
    updatedAt: time(),
    updatedBy: person(p.text()),
  },
})

/** Its tables. */
export const entities = [SecurityRevisionEntity]

/** Reads a row of `node_security_revisions`. */
export const toRevision = valuesOf(SecurityRevisionEntity, 'licenseId', 'fingerprint')
/** Reads a row of `node_security_revisions` without the document. */
export const toBareRevision = valuesOf(SecurityRevisionEntity, 'settings', 'sha256', 'updatedBy')

interface Tables extends TablesOf<typeof SecurityRevisionEntity> {}

/** Statements over its table. */
export const { statement } = statementsOver<Tables>()
