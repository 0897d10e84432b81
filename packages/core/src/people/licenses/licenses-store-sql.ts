import { type SqlBool, sql } from 'kysely'
import type { Scope } from '../../kernel/scope.ts'
import { type Addressing, identity, matched } from '../../platform/database/answers.ts'
import { idOf, scoped as scopedText } from '../../platform/database/scoped-statement.ts'
import type { Rows, Session } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { atOrNow } from '../../platform/database/typed-statement.ts'
import { given, isoOrNull } from '../../platform/database/values.ts'
import type { License, LicenseStatus, StatusReason } from './license.ts'
import type { LicenseDeed } from './license-deed.ts'
import { scoped, statement, toCalls, toLicense } from './license-tables-sql.ts'
import type { LicenseCalls, LicenseChange, LicenseName, LicensesStore, NewLicense } from './licenses-store.ts'

export { entities } from './license-tables-sql.ts'

/** Returns the condition under which the license `l` is usable; `at` is SQL. */
export const isUsableAt = (at: string) =>
  `l.status = 'active' and (l.expires_at is null or l.expires_at > ${at})`

/** Returns the condition under which a statement may serve a `LicenseClaim` request; arguments are SQL. */
export const isLicensed = (request: { licenseId: string; keyDigest: string; at: string }): string =>
  `(${request.keyDigest} is null or exists (select from licenses l where l.key_digest = ${request.keyDigest}
    and l.id = ${request.licenseId} and ${isUsableAt(request.at)}))`

const USABLE = {
  name: 'licenses-usable',
  // The instant comes back as the text that was sent, because digest and instant together match an answer to
  // its callers.
  text: `select k.digest, k.at, l.id from unnest($1::text[], $2::text[]) as k (digest, at)
    left join licenses l on l.key_digest = k.digest and ${isUsableAt(at('k.at'))}`,
}

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

/** The columns of a license, without the digest of its key. */
export const LICENSE_COLUMNS = `id, tenant_id, label, status, status_reason, expires_at, created_at, tier, contact_email,
    billing_state, current_period_end, provider_customer_id, agent_only`

const ADD = statement('license-add', (tables, given: NewLicense & { now: Date | undefined }) =>
  tables
    .insertInto('licenses')
    .values({
      id: given.id,
      key_digest: given.keyDigest,
      tenant_id: given.tenantId,
      label: given.label,
      expires_at: given.expiresAt,
      tier: given.tier,
      contact_email: given.contactEmail,
      agent_only: sql<boolean>`coalesce(${given.agentOnly}::boolean, false)`,
      created_at: atOrNow(given.now),
    })
    .returningAll(),
)
const GET = statement('license-get', (tables, { id }: { id: string }) =>
  tables.selectFrom('licenses').selectAll().where('id', '=', id),
)
const BY_DIGEST = statement('license-by-digest', (tables, { keyDigest }: { keyDigest: string }) =>
  tables.selectFrom('licenses').selectAll().where('key_digest', '=', keyDigest),
)
const ANY = statement('licenses-any', (tables) => tables.selectFrom('licenses').select('id').limit(1))
const OWNERSHIP = { tenant: 'tenant_id = $1', license: 'id = $1' }
const LIST = scoped(
  'license-list',
  (tables, _, isOwned) =>
    tables.selectFrom('licenses').selectAll().where(isOwned).orderBy(sql`id collate "C"`),
  OWNERSHIP,
)
const NAMED = scopedText(
  'license-named',
  (isOwned) => `with found as (
      select *, id = $2 or key_digest = $3 as is_exact from licenses
      where ${isOwned} and (id = $2 or key_digest = $3 or (label <> '' and label = $2)
        or ($4::boolean and right(id, length($2)) = $2)))
    select * from found where is_exact or not exists (select from found where is_exact)
    order by id collate "C"`,
  OWNERSHIP,
)
const SET_STATUS = statement(
  'license-set-status',
  (tables, { id, status }: { id: string; status: LicenseStatus }) =>
    tables
      .updateTable('licenses')
      .set({
        status,
        status_reason: sql<StatusReason>`case when status = 'active' and ${status} = 'active' then status_reason
          else 'operator' end`,
      })
      .where('id', '=', id)
      .where('status', '<>', 'revoked'),
)
type Changed = Omit<LicenseChange, 'expiresAt'> & { id: string; endChanges: boolean; end: Date | undefined }
const CHANGE = statement('license-change', (tables, given: Changed) =>
  tables
    .updateTable('licenses')
    .set({
      label: sql<string>`coalesce(${given.label}::text, label)`,
      tier: sql<string>`coalesce(${given.tier}::text, tier)`,
      contact_email: sql<string>`coalesce(${given.contactEmail}::text, contact_email)`,
      agent_only: sql<boolean>`coalesce(${given.agentOnly}::boolean, agent_only)`,
      expires_at: sql<Date>`case when ${given.endChanges}::boolean then ${given.end}::timestamptz else expires_at end`,
    })
    .where('id', '=', given.id)
    .where(({ eb, or }) =>
      or([eb('status', '<>', 'revoked'), sql<SqlBool>`not ${given.endChanges}::boolean`]),
    )
    .returningAll(),
)

const NOTE_CALL = {
  name: 'license-call-note',
  text: `insert into license_calls as c (license_id, deed, day, calls, last_at)
    select l.id, $2, (${at('$3')} at time zone 'UTC')::date, 1, ${at('$3')} from licenses l where l.id = $1
    on conflict (license_id, deed, day)
      do update set calls = c.calls + 1, last_at = greatest(c.last_at, excluded.last_at)`,
}
interface Days {
  readonly days: number
  readonly now: Date | undefined
}
const daysAgo = ({ days, now }: Days) => sql<string>`${atOrNow(now)} - ${days}::integer * interval '1 day'`
const CALLS = statement('license-calls', (tables, given: Days) =>
  tables
    .selectFrom('license_calls')
    .select(({ fn }) => ['license_id', 'deed', fn.max('last_at').as('last_at')])
    .select(sql<number>`sum(calls)::float8`.as('calls'))
    .where('last_at', '>', daysAgo(given))
    .groupBy(['license_id', 'deed'])
    .orderBy(sql`license_id collate "C"`)
    .orderBy(sql`deed collate "C"`),
)
const PURGE_CALLS = statement('license-calls-purge', (tables, given: Days) =>
  tables.deleteFrom('license_calls').where('last_at', '<=', daysAgo(given)).returning('deed'),
)

const first = (rows: readonly object[]): License | undefined => rows.map(toLicense)[0]

/** Licenses in SQL. */
export class SqlLicensesStore implements LicensesStore {
  readonly #session: Session
  readonly #usableId: (item: KeyItem) => Promise<string | undefined>

  constructor(session: Session) {
    this.#session = session
    this.#usableId = session.batched({ run: usableIds })
  }

  async add(license: NewLicense, now?: Date): Promise<License> {
    const added = first(await ADD.run(this.#session, { ...license, now }))
    if (added === undefined) throw new Error(`${license.id} was not stored`)
    return added
  }

  usableId(keyDigest: string, now?: Date): Promise<string | undefined> {
    return this.#usableId({ keyDigest, now })
  }

  async byKeyDigest(keyDigest: string): Promise<License | undefined> {
    return first(await BY_DIGEST.run(this.#session, { keyDigest }))
  }

  async get(id: string): Promise<License | undefined> {
    return first(await GET.run(this.#session, { id }))
  }

  async list(scope: Scope): Promise<readonly License[]> {
    return (await LIST.run(this.#session, scope, {})).map(toLicense)
  }

  async named(scope: Scope, { name, keyDigest, isEnd }: LicenseName): Promise<readonly License[]> {
    const params = [idOf(scope), name, keyDigest, isEnd]
    return (await this.#session.rows<object>(NAMED(scope), params)).map(toLicense)
  }

  async hasAny(): Promise<boolean> {
    return (await ANY.run(this.#session, {})).length > 0
  }

  async setStatus(id: string, status: LicenseStatus): Promise<License | undefined> {
    await SET_STATUS.run(this.#session, { id, status })
    return this.get(id)
  }

  async change(id: string, { expiresAt, ...change }: LicenseChange): Promise<License | undefined> {
    const end = { endChanges: expiresAt !== undefined, end: expiresAt ?? undefined }
    return first(await CHANGE.run(this.#session, { id, ...change, ...end }))
  }

  async noteCall(licenseId: string, deed: LicenseDeed, now?: Date): Promise<void> {
    await this.#session.rows(NOTE_CALL, [licenseId, deed, now])
  }

  async calls(days: number, now?: Date): Promise<readonly LicenseCalls[]> {
    return (await CALLS.run(this.#session, { days, now })).map(toCalls)
  }

  async purgeCalls(days: number, now?: Date): Promise<number> {
    return (await PURGE_CALLS.run(this.#session, { days, now })).length
  }
}

/** The store of the feature. */
export const stores = (session: Session): { licenses: LicensesStore } => ({
  licenses: new SqlLicensesStore(session),
})
