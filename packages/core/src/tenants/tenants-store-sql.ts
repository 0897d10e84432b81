import { defineEntity, p } from '@mikro-orm/core'
import type { Session } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
import type { Tenant } from './tenant.ts'
import type { TenantsStore } from './tenants-store.ts'

/** Table `tenants`. */
export const TenantEntity = defineEntity({
  name: 'Tenant',
  tableName: 'tenants',
  properties: {
    id: p.string().primary(),
    name: p.string(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
})

const toTenant = ({ id, name, createdAt }: Tenant): Tenant => ({ id, name, createdAt })

/** Tenants in SQL. */
export class SqlTenantsStore implements TenantsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(tenant: Pick<Tenant, 'id' | 'name'>, now?: Date): Promise<Tenant | undefined> {
    const [row] = await this.#session.rows<{ id: string }>(INSERT, [tenant.id, tenant.name, now])
    return row === undefined ? undefined : this.find(row.id)
  }

  async find(idOrName: string): Promise<Tenant | undefined> {
    const row = await this.#session.manage((em) =>
      em.findOne(TenantEntity, { $or: [{ id: idOrName }, { name: idOrName }] }),
    )
    return row === null ? undefined : toTenant(row)
  }

  list(): Promise<readonly Tenant[]> {
    return this.#session.manage(async (em) =>
      (await em.find(TenantEntity, {}, { orderBy: { id: 'asc' } })).map(toTenant),
    )
  }
}

const INSERT = {
  name: 'tenant-add',
  text: `insert into tenants (id, name, created_at) values ($1, $2, ${at('$3')})
    on conflict (name) do nothing returning id`,
}
