import { sql } from 'kysely'
import { tokensIn } from '../../people/api-tokens/token-rows-sql.ts'
import type { Session, Statement } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { atOrNow, type Timed } from '../../platform/database/typed-statement.ts'
import type {
  BrowserRun,
  BrowserRunEnd,
  BrowserStore,
  NewBrowserRun,
  NewBrowserToken,
} from './browser-store.ts'
import { statement, toRun, toToken } from './browser-tables-sql.ts'
import type { BrowserToken } from './browser-token.ts'

export { entities } from './browser-tables-sql.ts'

const ADD = statement('browser-token-add', (tables, given: NewBrowserToken & Timed) =>
  tables
    .insertInto('browser_tokens')
    .values({
      id: given.id,
      digest: given.digest,
      label: given.label,
      license_id: given.licenseId,
      daily_limit: given.dailyLimit,
      created_at: atOrNow(given.now),
    })
    .returningAll(),
)
const HAS: Statement = {
  name: 'browser-token-has',
  text: 'select exists (select 1 from browser_tokens where revoked_at is null) as found',
}
const LIST = statement('browser-token-list', (tables) =>
  tables
    .selectFrom('browser_tokens')
    .selectAll()
    .where('revoked_at', 'is', null)
    .orderBy(sql`id collate "C"`),
)
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
const FINISH = statement('browser-run-finish', (tables, given: BrowserRunEnd) =>
  tables
    .updateTable('browser_runs')
    .set({
      status: given.status,
      steps: given.steps,
      ms: given.ms,
      bytes: given.bytes,
      llm_tokens: given.llmTokens,
    })
    .where('id', '=', given.id)
    .where('status', '=', 'running'),
)
const RUNS = statement('browser-run-list', (tables, { limit }: { limit: number }) =>
  tables.selectFrom('browser_runs').selectAll().orderBy(sql`id collate "C"`, 'desc').limit(limit),
)
const PURGE: Statement = {
  name: 'browser-run-purge',
  text: `with gone as (delete from browser_runs
      where created_at < ${at('$2')} - make_interval(days => $1) returning 1)
    select count(*)::int as purged from gone`,
}
const TOKENS = tokensIn({ table: 'browser_tokens', name: 'browser-token', expires: false, read: toToken })

/** Browser tokens and their work in SQL. */
export class SqlBrowserStore implements BrowserStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async addToken(token: NewBrowserToken, now?: Date): Promise<BrowserToken> {
    const [added] = (await ADD.run(this.#session, { ...token, now })).map(toToken)
    if (added === undefined) throw new Error('the token statement returned no row')
    return added
  }

  useToken(digest: string, now?: Date): Promise<BrowserToken | undefined> {
    return TOKENS.use(this.#session, digest, now)
  }

  async hasTokens(): Promise<boolean> {
    const [row] = await this.#session.rows<{ found: boolean }>(HAS, [])
    return row?.found ?? false
  }

  async listTokens(): Promise<readonly BrowserToken[]> {
    return (await LIST.run(this.#session, {})).map(toToken)
  }

  revokeToken(id: string, now?: Date): Promise<BrowserToken | undefined> {
    return TOKENS.revoke(this.#session, id, now)
  }

  async begin(run: NewBrowserRun, isStored: boolean, now?: Date): Promise<boolean> {
    const { id, tokenId, kind, urlHost } = run
    return (await this.#session.rows(BEGIN, [id, tokenId, kind, urlHost, isStored, now])).length > 0
  }

  async finish(end: BrowserRunEnd): Promise<void> {
    await FINISH.run(this.#session, end)
  }

  async listRuns(limit: number): Promise<readonly BrowserRun[]> {
    return (await RUNS.run(this.#session, { limit })).map(toRun)
  }

  async purge(keptDays: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(PURGE, [keptDays, now])
    return (row?.purged ?? 0) + (await TOKENS.purge(this.#session, keptDays, now))
  }
}

/** The store of the feature. */
export const stores = (session: Session): { browser: BrowserStore } => ({
  browser: new SqlBrowserStore(session),
})
