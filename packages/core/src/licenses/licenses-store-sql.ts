import { type Addressing, identity, matched } from '../database/answers.ts'
import { idOf, scoped } from '../database/scoped-statement.ts'
import type { Rows, Session, Statement } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
import { given, instant, isoOrNull, maybeInstant } from '../database/values.ts'
import type { Scope } from '../scope.ts'
import type { BillingState, License, LicenseStatus, StatusReason } from './license.ts'
import type { LicenseDeed } from './license-deed.ts'
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

/** A row of `licenses` without the digest of its key. */
export interface LicenseRow {
  readonly id: string
  readonly tenant_id: string | null
  readonly label: string
  readonly status: LicenseStatus
  readonly status_reason: StatusReason | null
  readonly expires_at: string | null
  readonly created_at: string
  readonly tier: string | null
  readonly contact_email: string | null
  readonly billing_state: BillingState | null
  readonly current_period_end: string | null
  readonly provider_customer_id: string | null
  readonly agent_only: boolean
}

/** The columns of `LicenseRow`. */
export const LICENSE_COLUMNS = `id, tenant_id, label, status, status_reason, expires_at, created_at, tier, contact_email,
    billing_state, current_period_end, provider_customer_id, agent_only`
const ADD = {
  name: 'license-add',
  text: `insert into licenses (id, key_digest, tenant_id, label, expires_at, tier, contact_email, agent_only, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, coalesce($8::boolean, false), ${at('$9')}) returning ${LICENSE_COLUMNS}`,
}
const GET = { name: 'license-get', text: `select ${LICENSE_COLUMNS} from licenses where id = $1` }
const BY_DIGEST = {
  name: 'license-by-digest',
  text: `select ${LICENSE_COLUMNS} from licenses where key_digest = $1`,
}
const OWNERSHIP = { tenant: 'tenant_id = $1', license: 'id = $1' }
const LIST = scoped(
  'license-list',
  (isOwned) => `select ${LICENSE_COLUMNS} from licenses where ${isOwned} order by id collate "C"`,
  OWNERSHIP,
)
const NAMED = scoped(
  'license-named',
  (isOwned) => `with found as (
      select ${LICENSE_COLUMNS}, id = $2 or key_digest = $3 as is_exact from licenses
      where ${isOwned} and (id = $2 or key_digest = $3 or (label <> '' and label = $2)
        or ($4::boolean and right(id, length($2)) = $2)))
    select * from found where is_exact or not exists (select from found where is_exact)
    order by id collate "C"`,
  OWNERSHIP,
)
const SET_STATUS = {
  name: 'license-set-status',
  text: `update licenses set status = $2,
      status_reason = case when status = 'active' and $2 = 'active' then status_reason else 'operator' end
    where id = $1 and status <> 'revoked'`,
}
const CHANGE = {
  name: 'license-change',
  text: `update licenses set label = coalesce($2::text, label), tier = coalesce($5::text, tier),
      contact_email = coalesce($6::text, contact_email), agent_only = coalesce($7::boolean, agent_only),
      expires_at = case when $3::boolean then $4::timestamptz else expires_at end
    where id = $1 and (status <> 'revoked' or not $3::boolean) returning ${LICENSE_COLUMNS}`,
}

const NOTE_CALL = {
  name: 'license-call-note',
  text: `insert into license_calls as c (license_id, deed, day, calls, last_at)
    select l.id, $2, (${at('$3')} at time zone 'UTC')::date, 1, ${at('$3')} from licenses l where l.id = $1
    on conflict (license_id, deed, day)
      do update set calls = c.calls + 1, last_at = greatest(c.last_at, excluded.last_at)`,
}
const CALLS = {
  name: 'license-calls',
  text: `select license_id, deed, sum(calls)::float8 as calls, max(last_at) as last_at from license_calls
    where last_at > ${at('$2')} - $1::integer * interval '1 day'
    group by license_id, deed order by license_id collate "C", deed collate "C"`,
}
const PURGE_CALLS = {
  name: 'license-calls-purge',
  text: `delete from license_calls where last_at <= ${at('$2')} - $1::integer * interval '1 day' returning deed`,
}

interface CallsRow {
  readonly license_id: string
  readonly deed: LicenseDeed
  readonly calls: number
  readonly last_at: string
}

/** The license of a row. */
export const toLicense = (row: LicenseRow): License => ({
  id: row.id,
  tenantId: given(row.tenant_id),
  label: row.label,
  status: row.status,
  statusReason: given(row.status_reason),
  expiresAt: maybeInstant(row.expires_at),
  createdAt: instant(row.created_at),
  tier: given(row.tier),
  contactEmail: given(row.contact_email),
  billingState: given(row.billing_state),
  currentPeriodEnd: maybeInstant(row.current_period_end),
  customerId: given(row.provider_customer_id),
  agentOnly: row.agent_only,
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
    const { id, keyDigest, tenantId, label, expiresAt, tier, contactEmail, agentOnly } = license
    const params = [id, keyDigest, tenantId, label, expiresAt, tier, contactEmail, agentOnly, now]
    const [row] = await this.#session.rows<LicenseRow>(ADD, params)
    if (row === undefined) throw new Error(`${id} was not stored`)
    return toLicense(row)
  }

  usableId(keyDigest: string, now?: Date): Promise<string | undefined> {
    return this.#usableId({ keyDigest, now })
  }

  byKeyDigest(keyDigest: string): Promise<License | undefined> {
    return this.#one(BY_DIGEST, [keyDigest])
  }

  get(id: string): Promise<License | undefined> {
    return this.#one(GET, [id])
  }

  async list(scope: Scope): Promise<readonly License[]> {
    return (await this.#session.rows<LicenseRow>(LIST(scope), [idOf(scope)])).map(toLicense)
  }

  async named(scope: Scope, { name, keyDigest, isEnd }: LicenseName): Promise<readonly License[]> {
    const params = [idOf(scope), name, keyDigest, isEnd]
    return (await this.#session.rows<LicenseRow>(NAMED(scope), params)).map(toLicense)
  }

  async hasAny(): Promise<boolean> {
    return (await this.#session.rows(ANY, [])).length > 0
  }

  async setStatus(id: string, status: LicenseStatus): Promise<License | undefined> {
    await this.#session.rows(SET_STATUS, [id, status])
    return this.get(id)
  }

  change(id: string, change: LicenseChange): Promise<License | undefined> {
    const { label, expiresAt, tier, contactEmail, agentOnly } = change
    const end = [expiresAt !== undefined, expiresAt ?? undefined]
    return this.#one(CHANGE, [id, label, ...end, tier, contactEmail, agentOnly])
  }

  async noteCall(licenseId: string, deed: LicenseDeed, now?: Date): Promise<void> {
    await this.#session.rows(NOTE_CALL, [licenseId, deed, now])
  }

  async calls(days: number, now?: Date): Promise<readonly LicenseCalls[]> {
    return (await this.#session.rows<CallsRow>(CALLS, [days, now])).map((row) => ({
      licenseId: row.license_id,
      deed: row.deed,
      calls: row.calls,
      lastAt: instant(row.last_at),
    }))
  }

  async purgeCalls(days: number, now?: Date): Promise<number> {
    return (await this.#session.rows(PURGE_CALLS, [days, now])).length
  }

  async #one(statement: Statement, params: readonly unknown[]): Promise<License | undefined> {
    const [row] = await this.#session.rows<LicenseRow>(statement, params)
    return row === undefined ? undefined : toLicense(row)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { licenses: LicensesStore } => ({
  licenses: new SqlLicensesStore(session),
})
