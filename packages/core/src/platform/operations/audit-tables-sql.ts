import { defineEntity, p } from '@mikro-orm/core'
import { person, redacted, type TablesOf, time, word } from '../database/table-sql.ts'
import { statementsOver } from '../database/typed-statement.ts'

/** Table `audit_log`. */
export const AuditEntity = defineEntity({
  name: 'Audit',
  tableName: 'audit_log',
  properties: {
    id: word(p.text().primary()),
    at: time(),
    actor: person(p.text()),
    operation: word(p.text()),
    input: redacted(p.json().$type<Readonly<Record<string, unknown>>>()),
    outcome: word(p.text()),
  },
})

/** Its tables. */
export const entities = [AuditEntity]

interface Tables extends TablesOf<typeof AuditEntity> {}

/** Statements over them. */
export const { statement } = statementsOver<Tables>()
