import { idOf, scoped } from '../database/scoped-statement.ts'
import type { Session } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
import { instant } from '../database/values.ts'
import type { Scope } from '../scope.ts'
import type { Tenant } from './tenant.ts'
import type { TenantsStore } from './tenants-store.ts'

const INSERT = {
  name: 'tenant-add',
  text: `insert into tenants (id, name, created_at) values ($1, $2, ${at('$3')})
    on conflict (name) do nothing returning *`,
}
// Tenants do not exist for a license.
const OWNERSHIP = { tenant: 'id = $1', license: '$1::text is null' }
const FIND = scoped(
  'tenant-find',
  (isOwned) => `select * from tenants where ${isOwned} and (id = $2 or name = $2) limit 1`,
  OWNERSHIP,
)
const LIST = scoped(
  'tenant-list',
  (isOwned) => `select * from tenants where ${isOwned} order by id`,
  OWNERSHIP,
)

interface TenantRow {
  readonly id: string
  readonly name: string
  readonly created_at: string
}

const toTenant = ({ id, name, created_at }: TenantRow): Tenant => ({
  id,
  name,
  createdAt: instant(created_at),
})

/** Tenants in SQL. */
export class SqlTenantsStore implements TenantsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add({ id, name }: Pick<Tenant, 'id' | 'name'>, now?: Date): Promise<Tenant | undefined> {
    const [row] = await this.#session.rows<TenantRow>(INSERT, [id, name, now])
    return row === undefined ? undefined : toTenant(row)
  }

  async find(scope: Scope, idOrName: string): Promise<Tenant | undefined> {
    const [row] = await this.#session.rows<TenantRow>(FIND(scope), [idOf(scope), idOrName])
    return row === undefined ? undefined : toTenant(row)
  }

  async list(scope: Scope): Promise<readonly Tenant[]> {
    return (await this.#session.rows<TenantRow>(LIST(scope), [idOf(scope)])).map(toTenant)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { tenants: TenantsStore } => ({
  tenants: new SqlTenantsStore(session),
})
