import { defineEntity, p } from '@mikro-orm/core'
import { digest, time, word } from '../database/table-sql.ts'

/** Table `rate_windows`. */
export const RateWindowEntity = defineEntity({
  name: 'RateWindow',
  tableName: 'rate_windows',
  properties: {
    name: word(p.text().primary()),
    subject: digest(p.text().primary()),
    count: p.integer(),
    endsAt: time(),
  },
})

/** Its tables. */
export const entities = [RateWindowEntity]
