import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { given, type Session } from '../storage/session.ts'
import type { License, LicenseStatus } from './license.ts'
import type { LicensesStore, NewLicense } from './licenses-store.ts'

/** Table `licenses`. */
export const LicenseEntity = defineEntity({
  name: 'License',
  tableName: 'licenses',
  properties: {
    id: p.string().primary(),
    keyDigest: p.string(),
    tenantId: p.string().nullable(),
    label: p.string(),
    status: p.string().$type<LicenseStatus>().default('active'),
    expiresAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
})

const USABLE = {
  name: 'license-usable',
  text: `select id from licenses where key_digest = $1 and status = 'active'
    and (expires_at is null or expires_at > coalesce($2::timestamptz, now()))`,
}

const toLicense = (row: InferEntity<typeof LicenseEntity>): License => ({
  id: row.id,
  tenantId: given(row.tenantId ?? null),
  label: row.label,
  status: row.status,
  expiresAt: given(row.expiresAt ?? null),
  createdAt: row.createdAt,
})

/** Licenses in SQL. */
export class SqlLicensesStore implements LicensesStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(license: NewLicense, now?: Date): Promise<License> {
    const { tenantId = null, expiresAt = null, ...rest } = license
    return this.#session.manage(async (em) => {
      await em.insert(LicenseEntity, { ...rest, tenantId, expiresAt, ...(now ? { createdAt: now } : {}) })
      return toLicense(await em.findOneOrFail(LicenseEntity, license.id))
    })
  }

  async usableId(keyDigest: string, now?: Date): Promise<string | undefined> {
    const [row] = await this.#session.rows<{ id: string }>(USABLE, [keyDigest, now])
    return row?.id
  }

  byKeyDigest(keyDigest: string): Promise<License | undefined> {
    return this.#one({ keyDigest })
  }

  get(id: string): Promise<License | undefined> {
    return this.#one({ id })
  }

  list(): Promise<readonly License[]> {
    return this.#session.manage(async (em) =>
      (await em.find(LicenseEntity, {}, { orderBy: { id: 'asc' } })).map(toLicense),
    )
  }

  async setStatus(id: string, status: LicenseStatus): Promise<License | undefined> {
    await this.#session.manage((em) =>
      em.nativeUpdate(LicenseEntity, { id, status: { $ne: 'revoked' } }, { status }),
    )
    return this.get(id)
  }

  async #one(where: { id: string } | { keyDigest: string }): Promise<License | undefined> {
    const row = await this.#session.manage((em) => em.findOne(LicenseEntity, where))
    return row === null ? undefined : toLicense(row)
  }
}
