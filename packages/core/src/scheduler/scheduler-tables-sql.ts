import { defineEntity, p } from '@mikro-orm/core'
import { time, word } from '../database/table-sql.ts'

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
