import { type Addressing, identity, matched } from '../database/answers.ts'
import type { Rows, Session, Statement } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
import { given, instant, isoOrNull, maybeInstant } from '../database/values.ts'
import type { BillingState, License, LicenseStatus, StatusReason } from './license.ts'
import type { LicenseChange, LicensesStore, NewLicense } from './licenses-store.ts'

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
}

/** The columns of `LicenseRow`. */
export const LICENSE_COLUMNS = `id, tenant_id, label, status, status_reason, expires_at, created_at, tier, contact_email,
    billing_state, current_period_end, provider_customer_id`
const ADD = {
  name: 'license-add',
  text: `insert into licenses (id, key_digest, tenant_id, label, expires_at, tier, contact_email, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, ${at('$8')}) returning ${LICENSE_COLUMNS}`,
}
const GET = { name: 'license-get', text: `select ${LICENSE_COLUMNS} from licenses where id = $1` }
const BY_DIGEST = {
  name: 'license-by-digest',
  text: `select ${LICENSE_COLUMNS} from licenses where key_digest = $1`,
}
const LIST = { name: 'license-list', text: `select ${LICENSE_COLUMNS} from licenses order by id collate "C"` }
const SET_STATUS = {
  name: 'license-set-status',
  text: `update licenses set status = $2,
      status_reason = case when status = 'active' and $2 = 'active' then status_reason else 'operator' end
    where id = $1 and status <> 'revoked'`,
}
const CHANGE = {
  name: 'license-change',
  text: `update licenses set label = coalesce($2::text, label), tier = coalesce($5::text, tier),
      contact_email = coalesce($6::text, contact_email),
      expires_at = case when $3::boolean then $4::timestamptz else expires_at end
    where id = $1 and (status <> 'revoked' or not $3::boolean) returning ${LICENSE_COLUMNS}`,
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
    const { id, keyDigest, tenantId, label, expiresAt, tier, contactEmail } = license
    const params = [id, keyDigest, tenantId, label, expiresAt, tier, contactEmail, now]
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

  async list(): Promise<readonly License[]> {
    return (await this.#session.rows<LicenseRow>(LIST, [])).map(toLicense)
  }

  async hasAny(): Promise<boolean> {
    return (await this.#session.rows(ANY, [])).length > 0
  }

  async setStatus(id: string, status: LicenseStatus): Promise<License | undefined> {
    await this.#session.rows(SET_STATUS, [id, status])
    return this.get(id)
  }

  change(id: string, { label, expiresAt, tier, contactEmail }: LicenseChange): Promise<License | undefined> {
    return this.#one(CHANGE, [id, label, expiresAt !== undefined, expiresAt ?? undefined, tier, contactEmail])
  }

  async #one(statement: Statement, params: readonly unknown[]): Promise<License | undefined> {
    const [row] = await this.#session.rows<LicenseRow>(statement, params)
    return row === undefined ? undefined : toLicense(row)
  }
}
