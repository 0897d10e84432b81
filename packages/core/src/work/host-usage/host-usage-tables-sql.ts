import { defineEntity, p } from '@mikro-orm/core'
import { fact, time, valuesOf, word } from '../../platform/database/table-sql.ts'

/** Table `host_usage`. */
export const HostUsageEntity = defineEntity({
  name: 'HostUsage',
  tableName: 'host_usage',
  properties: {
    licenseId: word(p.text().primary()),
    fingerprint: fact(p.text().primary()),
    startsAt: time().primary(),
    share: p.integer().primary(),
    slotSeconds: p.integer(),
    figures: fact(p.blob()),
  },
})

/** Its tables. */
export const entities = [HostUsageEntity]

/** Reads a row of `host_usage`. */
export const toUsageRow = valuesOf(HostUsageEntity)
