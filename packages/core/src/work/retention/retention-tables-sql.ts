import { defineEntity, p } from '@mikro-orm/core'
import { person, type TablesOf, time, word } from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'

/** Table `retention`, of one row at most. */
export const RetentionEntity = defineEntity({
  name: 'Retention',
  tableName: 'retention',
  properties: {
    id: p.integer().primary(),
    held: p.boolean().default(false),
    acceptedAt: time().nullable(),
    acceptedBy: person(p.text().nullable()),
    logsBefore: time().nullable(),
    archive: word(p.text().nullable()),
  },
})

/** Its tables. */
export const entities = [RetentionEntity]

/** Statements over the table. */
export const { statement } = statementsOver<TablesOf<typeof RetentionEntity>>()
