import type { Scope } from '../../kernel/scope.ts'
import type { Session } from '../../platform/database/session.ts'
import { valuesOf } from '../../platform/database/table-sql.ts'
import { atOrNow } from '../../platform/database/typed-statement.ts'
import { scoped, statement, TenantEntity } from './tenant-tables-sql.ts'
import type { Tenant, TenantsStore } from './tenants-store.ts'

export { entities } from './tenant-tables-sql.ts'

const toTenant = valuesOf(TenantEntity)

const ADD = statement(
  'tenant-add',
  (tables, given: Pick<Tenant, 'id' | 'name'> & { now: Date | undefined }) =>
    tables
      .insertInto('tenants')
      .values({ id: given.id, name: given.name, created_at: atOrNow(given.now) })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .returningAll(),
)

// Tenants do not exist for a license.
const OWNERSHIP = { tenant: 'id = $1', license: '$1::text is null' }

const FIND = scoped(
  'tenant-find',
  (tables, { idOrName }: { idOrName: string }, isOwned) =>
    tables
      .selectFrom('tenants')
      .selectAll()
      .where(isOwned)
      .where(({ eb, or }) => or([eb('id', '=', idOrName), eb('name', '=', idOrName)]))
      .limit(1),
  OWNERSHIP,
)

const LIST = scoped(
  'tenant-list',
  (tables, _, isOwned) => tables.selectFrom('tenants').selectAll().where(isOwned).orderBy('id'),
  OWNERSHIP,
)

/** Tenants in SQL. */
export class SqlTenantsStore implements TenantsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(tenant: Pick<Tenant, 'id' | 'name'>, now?: Date): Promise<Tenant | undefined> {
    return (await ADD.run(this.#session, { ...tenant, now })).map(toTenant)[0]
  }

  async find(scope: Scope, idOrName: string): Promise<Tenant | undefined> {
    return (await FIND.run(this.#session, scope, { idOrName })).map(toTenant)[0]
  }

  async list(scope: Scope): Promise<readonly Tenant[]> {
    return (await LIST.run(this.#session, scope, {})).map(toTenant)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { tenants: TenantsStore } => ({
  tenants: new SqlTenantsStore(session),
})
