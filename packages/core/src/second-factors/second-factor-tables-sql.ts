import { defineEntity, p } from '@mikro-orm/core'
import { digest, sealed, time, word } from '../database/table-sql.ts'

/** Table `second_factors`. */
export const SecondFactorEntity = defineEntity({
  name: 'SecondFactor',
  tableName: 'second_factors',
  properties: {
    userId: word(p.text().primary()),
    secret: sealed(p.text()),
    begunAt: time(),
    confirmedAt: time().nullable(),
    lastStep: p.integer().default(0),
    recovery: digest(p.array().defaultRaw("'{}'")),
  },
})

/** Its tables. */
export const entities = [SecondFactorEntity]
