import type { Session } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
import { instant } from '../database/values.ts'
import type { Tenant } from './tenant.ts'
import type { TenantsStore } from './tenants-store.ts'

const INSERT = {
  name: 'tenant-add',
  text: `insert into tenants (id, name, created_at) values ($1, $2, ${at('$3')})
    on conflict (name) do nothing returning *`,
}
const FIND = { name: 'tenant-find', text: 'select * from tenants where id = $1 or name = $1 limit 1' }
const LIST = { name: 'tenant-list', text: 'select * from tenants order by id' }

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

  async find(idOrName: string): Promise<Tenant | undefined> {
    const [row] = await this.#session.rows<TenantRow>(FIND, [idOrName])
    return row === undefined ? undefined : toTenant(row)
  }

  async list(): Promise<readonly Tenant[]> {
    return (await this.#session.rows<TenantRow>(LIST, [])).map(toTenant)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { tenants: TenantsStore } => ({
  tenants: new SqlTenantsStore(session),
})
