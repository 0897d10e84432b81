import { defineEntity, p } from '@mikro-orm/core'
import { digest, sealed, type TablesOf, time, valuesOf, word } from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'

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

/** Reads a row of `second_factors`. */
export const toSecondFactor = valuesOf(SecondFactorEntity, 'userId', 'begunAt')

interface Tables extends TablesOf<typeof SecondFactorEntity> {}

/** Statements over the table. */
export const { statement } = statementsOver<Tables>()
