import { defineEntity, p } from '@mikro-orm/core'
import { fact, type TablesOf, time, word } from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'

/** Table `tenants`. */
export const TenantEntity = defineEntity({
  name: 'Tenant',
  tableName: 'tenants',
  properties: { id: word(p.text().primary()), name: fact(p.text()), createdAt: time() },
})

/** Its tables. */
export const entities = [TenantEntity]

interface Tables extends TablesOf<typeof TenantEntity> {}

/** Statements over them. */
export const { statement, scoped } = statementsOver<Tables>()
