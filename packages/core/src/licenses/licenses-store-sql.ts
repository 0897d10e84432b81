import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { type Addressing, identity, matched } from '../database/answers.ts'
import { given, isoOrNull, type Rows, type Session } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
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

const usableAt = (at: string) => `l.status = 'active' and (l.expires_at is null or l.expires_at > ${at})`

/** Returns the condition under which a statement may serve a `LicenseClaim` request; arguments are SQL. */
export const isLicensed = (request: { licenseId: string; keyDigest: string; at: string }): string =>
  `(${request.keyDigest} is null or exists (select from licenses l where l.key_digest = ${request.keyDigest}
    and l.id = ${request.licenseId} and ${usableAt(request.at)}))`

const USABLE = {
  name: 'licenses-usable',
  // The instant comes back as the text that was sent, because digest and instant together match an answer to
  // its callers.
  text: `select k.digest, k.at, l.id from unnest($1::text[], $2::text[]) as k (digest, at)
    left join licenses l on l.key_digest = k.digest and ${usableAt(at('k.at'))}`,
}

const ANY = { name: 'licenses-any', text: 'select from licenses limit 1' }

/** A license key to check, with the instant that a test gives it. */
interface KeyItem {
  readonly keyDigest: string
  readonly now: Date | undefined
}

interface UsableRow {
  readonly digest: string
  readonly at: string | null
  readonly id: string | null
}

const question = ({ keyDigest, now }: KeyItem) => identity(keyDigest, isoOrNull(now) ?? '')
const ANSWERED: Addressing<KeyItem, UsableRow> = {
  statement: USABLE.name,
  asker: question,
  addressee: ({ digest, at }) => identity(digest, at ?? ''),
  isComplete: true,
}

async function usableIds(items: readonly KeyItem[], rows: Rows): Promise<readonly (string | undefined)[]> {
  // Many hosts share one key: each question is asked once.
  const questions = [...new Map(items.map((each) => [question(each), each])).values()]
  const params = [questions.map(({ keyDigest }) => keyDigest), questions.map(({ now }) => isoOrNull(now))]
  const answers = matched(ANSWERED, items, await rows<UsableRow>(USABLE, params))
  return items.map((each) => given(answers.get(each)?.id ?? null))
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
  readonly #usableId: (item: KeyItem) => Promise<string | undefined>

  constructor(session: Session) {
    this.#session = session
    this.#usableId = session.batched({ run: usableIds })
  }

  async add(license: NewLicense, now?: Date): Promise<License> {
    const { tenantId = null, expiresAt = null, ...rest } = license
    return this.#session.manage(async (em) => {
      await em.insert(LicenseEntity, { ...rest, tenantId, expiresAt, ...(now ? { createdAt: now } : {}) })
      return toLicense(await em.findOneOrFail(LicenseEntity, license.id))
    })
  }

  usableId(keyDigest: string, now?: Date): Promise<string | undefined> {
    return this.#usableId({ keyDigest, now })
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

  async hasAny(): Promise<boolean> {
    return (await this.#session.rows(ANY, [])).length > 0
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
