import { defineEntity, p } from '@mikro-orm/core'
import { type TablesOf, time, word } from '../database/table-sql.ts'
import { statementsOver } from '../database/typed-statement.ts'

/** Table `scheduler_tasks`. */
export const SchedulerTaskEntity = defineEntity({
  name: 'SchedulerTask',
  tableName: 'scheduler_tasks',
  properties: {
    name: word(p.text().primary()),
    begunAt: time(),
    dueAt: time(),
  },
})

/** Its tables. */
export const entities = [SchedulerTaskEntity]

interface Tables extends TablesOf<typeof SchedulerTaskEntity> {}

/** Statements over its table. */
export const { statement } = statementsOver<Tables>()
