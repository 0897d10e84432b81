import type { Session, Statement } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
import { given, instant, maybeInstant } from '../database/values.ts'
import { TOUCH_SECONDS } from '../sessions/sessions-store.ts'
import type {
  BrowserRun,
  BrowserRunEnd,
  BrowserStore,
  BrowserWork,
  NewBrowserRun,
  NewBrowserToken,
} from './browser-store.ts'
import type { BrowserToken } from './browser-token.ts'

export { entities } from './browser-tables-sql.ts'

interface TokenRow {
  readonly id: string
  readonly label: string
  readonly license_id: string | null
  readonly daily_limit: number
  readonly created_at: string
  readonly last_used_at: string | null
}

interface RunRow {
  readonly id: string
  readonly token_id: string
  readonly kind: BrowserWork
  readonly url_host: string
  readonly status: string
  readonly steps: number
  readonly ms: number
  readonly bytes: string
  readonly llm_tokens: number
  readonly created_at: string
}

const ADD: Statement = {
  name: 'browser-token-add',
  text: `insert into browser_tokens (id, digest, label, license_id, daily_limit, created_at)
    values ($1, $2, $3, $4, $5, ${at('$6')}) returning *`,
}
const USE: Statement = {
  name: 'browser-token-use',
  text: `with live as (select * from browser_tokens where digest = $1 and revoked_at is null
    ), touched as (
      update browser_tokens t set last_used_at = ${at('$2')} from live where t.id = live.id
        and (t.last_used_at is null or t.last_used_at < ${at('$2')} - make_interval(secs => ${TOUCH_SECONDS})))
    select * from live`,
}
const HAS: Statement = {
  name: 'browser-token-has',
  text: 'select exists (select 1 from browser_tokens where revoked_at is null) as found',
}
const LIST: Statement = {
  name: 'browser-token-list',
  text: 'select * from browser_tokens where revoked_at is null order by id collate "C"',
}
const REVOKE: Statement = {
  name: 'browser-token-revoke',
  text: `update browser_tokens set revoked_at = ${at('$2')} where id = $1 and revoked_at is null returning *`,
}
// The update waits for others of the same token and then looks again, so that no two take the last of a day.
const BEGIN: Statement = {
  name: 'browser-run-begin',
  text: `with today as (select (${at('$6')} at time zone 'UTC')::date as day
    ), spent as (
      update browser_tokens t set used_on = today.day,
          used = case when t.used_on = today.day then t.used + 1 else 1 end
        from today where $5::boolean and t.id = $2 and t.revoked_at is null
          and (t.used_on is distinct from today.day or t.used < t.daily_limit) returning 1)
    insert into browser_runs (id, token_id, kind, url_host, status, created_at)
      select $1, $2, $3, $4, 'running', ${at('$6')}
      where not $5::boolean or exists (select 1 from spent) returning id`,
}
const FINISH: Statement = {
  name: 'browser-run-finish',
  text: `update browser_runs set status = $2, steps = $3, ms = $4, bytes = $5, llm_tokens = $6
    where id = $1 and status = 'running'`,
}
const RUNS: Statement = {
  name: 'browser-run-list',
  text: 'select * from browser_runs order by id collate "C" desc limit $1',
}
const PURGE: Statement = {
  name: 'browser-purge',
  text: `with runs as (delete from browser_runs
      where created_at < ${at('$2')} - make_interval(days => $1) returning 1
    ), tokens as (delete from browser_tokens
      where revoked_at < ${at('$2')} - make_interval(days => $1) returning 1)
    select ((select count(*) from runs) + (select count(*) from tokens))::int as purged`,
}

const toToken = (row: TokenRow): BrowserToken => ({
  id: row.id,
  label: row.label,
  licenseId: given(row.license_id),
  dailyLimit: row.daily_limit,
  createdAt: instant(row.created_at),
  lastUsedAt: maybeInstant(row.last_used_at),
})

const toRun = (row: RunRow): BrowserRun => ({
  id: row.id,
  tokenId: row.token_id,
  kind: row.kind,
  urlHost: row.url_host,
  status: row.status,
  steps: row.steps,
  ms: row.ms,
  bytes: Number(row.bytes),
  llmTokens: row.llm_tokens,
  createdAt: instant(row.created_at),
})

/** Browser tokens and their work in SQL. */
export class SqlBrowserStore implements BrowserStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async addToken(token: NewBrowserToken, now?: Date): Promise<BrowserToken> {
    const { id, digest, label, licenseId, dailyLimit } = token
    const [added] = await this.#tokens(ADD, [id, digest, label, licenseId, dailyLimit, now])
    if (added === undefined) throw new Error('the token statement returned no row')
    return added
  }

  async useToken(digest: string, now?: Date): Promise<BrowserToken | undefined> {
    return (await this.#tokens(USE, [digest, now]))[0]
  }

  async hasTokens(): Promise<boolean> {
    const [row] = await this.#session.rows<{ found: boolean }>(HAS, [])
    return row?.found ?? false
  }

  listTokens(): Promise<readonly BrowserToken[]> {
    return this.#tokens(LIST, [])
  }

  async revokeToken(id: string, now?: Date): Promise<BrowserToken | undefined> {
    return (await this.#tokens(REVOKE, [id, now]))[0]
  }

  async begin(run: NewBrowserRun, isStored: boolean, now?: Date): Promise<boolean> {
    const { id, tokenId, kind, urlHost } = run
    return (await this.#session.rows(BEGIN, [id, tokenId, kind, urlHost, isStored, now])).length > 0
  }

  async finish({ id, status, steps, ms, bytes, llmTokens }: BrowserRunEnd): Promise<void> {
    await this.#session.rows(FINISH, [id, status, steps, ms, bytes, llmTokens])
  }

  async listRuns(limit: number): Promise<readonly BrowserRun[]> {
    return (await this.#session.rows<RunRow>(RUNS, [limit])).map(toRun)
  }

  async purge(keptDays: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(PURGE, [keptDays, now])
    return row?.purged ?? 0
  }

  async #tokens(statement: Statement, params: readonly unknown[]): Promise<readonly BrowserToken[]> {
    return (await this.#session.rows<TokenRow>(statement, params)).map(toToken)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { browser: BrowserStore } => ({
  browser: new SqlBrowserStore(session),
})
