import { sql } from 'kysely'
import type { Session } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { atOrNow } from '../../platform/database/typed-statement.ts'
import { TOUCH_SECONDS } from '../sessions/sessions-store.ts'
import type { ApiToken } from './api-token.ts'
import { statement, toToken } from './api-token-tables-sql.ts'
import type { ApiTokensStore, NewApiToken } from './api-tokens-store.ts'

export { entities } from './api-token-tables-sql.ts'

const ADD = statement('api-token-add', (tables, given: NewApiToken & { now: Date | undefined }) =>
  tables
    .insertInto('api_tokens')
    .values({
      id: given.id,
      digest: given.digest,
      label: given.label,
      role: given.role,
      tenant_id: given.tenantId,
      created_by: given.createdBy,
      expires_at: given.expiresAt,
      created_at: atOrNow(given.now),
    })
    .returningAll(),
)
// The condition on the last use stands in the update too, so that one of several concurrent requests writes.
const USE = {
  name: 'api-token-use',
  text: `with live as (
      select * from api_tokens where digest = $1 and revoked_at is null
        and (expires_at is null or expires_at > ${at('$2')})
    ), touched as (
      update api_tokens t set last_used_at = ${at('$2')} from live where t.id = live.id
        and (t.last_used_at is null or t.last_used_at < ${at('$2')} - make_interval(secs => ${TOUCH_SECONDS})))
    select * from live`,
}
const LIST = statement('api-token-list', (tables) =>
  tables.selectFrom('api_tokens').selectAll().where('revoked_at', 'is', null).orderBy(sql`id collate "C"`),
)
const REVOKE = statement('api-token-revoke', (tables, { id, now }: { id: string; now: Date | undefined }) =>
  tables
    .updateTable('api_tokens')
    .set({ revoked_at: atOrNow(now) })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returningAll(),
)
const PURGE = {
  name: 'api-token-purge',
  text: `with gone as (delete from api_tokens
      where least(revoked_at, expires_at) < ${at('$2')} - make_interval(days => $1) returning 1)
    select count(*)::int as purged from gone`,
}

const first = (rows: readonly object[]): ApiToken | undefined => rows.map(toToken)[0]

/** API tokens in SQL. */
export class SqlApiTokensStore implements ApiTokensStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(token: NewApiToken, now?: Date): Promise<ApiToken> {
    const added = first(await ADD.run(this.#session, { ...token, now }))
    if (added === undefined) throw new Error('the token statement returned no row')
    return added
  }

  async use(digest: string, now?: Date): Promise<ApiToken | undefined> {
    return first(await this.#session.rows<object>(USE, [digest, now]))
  }

  async list(): Promise<readonly ApiToken[]> {
    return (await LIST.run(this.#session, {})).map(toToken)
  }

  async revoke(id: string, now?: Date): Promise<ApiToken | undefined> {
    return first(await REVOKE.run(this.#session, { id, now }))
  }

  async purge(keptDays: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(PURGE, [keptDays, now])
    return row?.purged ?? 0
  }
}

/** The store of the feature. */
export const stores = (session: Session): { apiTokens: ApiTokensStore } => ({
  apiTokens: new SqlApiTokensStore(session),
})
