import type { Session } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
import { instant, maybeInstant } from '../database/values.ts'
import { TOUCH_SECONDS } from '../sessions/sessions-store.ts'
import type { ApiToken } from './api-token.ts'
import type { ApiTokensStore, NewApiToken } from './api-tokens-store.ts'

export { entities } from './api-token-tables-sql.ts'

interface TokenRow {
  readonly id: string
  readonly label: string
  readonly role: ApiToken['role']
  readonly tenant_id: string | null
  readonly created_by: string
  readonly created_at: string
  readonly last_used_at: string | null
  readonly expires_at: string | null
}

const ADD = {
  name: 'api-token-add',
  text: `insert into api_tokens (id, digest, label, role, tenant_id, created_by, expires_at, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, ${at('$8')}) returning *`,
}
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
const LIST = {
  name: 'api-token-list',
  text: `select * from api_tokens where revoked_at is null order by id collate "C"`,
}
const REVOKE = {
  name: 'api-token-revoke',
  text: `update api_tokens set revoked_at = ${at('$2')} where id = $1 and revoked_at is null returning *`,
}
const PURGE = {
  name: 'api-token-purge',
  text: `with gone as (delete from api_tokens
      where least(revoked_at, expires_at) < ${at('$2')} - make_interval(days => $1) returning 1)
    select count(*)::int as purged from gone`,
}

const toToken = (row: TokenRow): ApiToken => {
  const { id, label, created_by: createdBy } = row
  const times = {
    createdAt: instant(row.created_at),
    lastUsedAt: maybeInstant(row.last_used_at),
    expiresAt: maybeInstant(row.expires_at),
  }
  return { id, label, createdBy, ...times, role: row.role, tenantId: row.tenant_id ?? undefined } as ApiToken
}

/** API tokens in SQL. */
export class SqlApiTokensStore implements ApiTokensStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(token: NewApiToken, now?: Date): Promise<ApiToken> {
    const { id, digest, label, role, tenantId, createdBy, expiresAt } = token
    const added = await this.#one(ADD, [id, digest, label, role, tenantId, createdBy, expiresAt, now])
    if (added === undefined) throw new Error('the token statement returned no row')
    return added
  }

  use(digest: string, now?: Date): Promise<ApiToken | undefined> {
    return this.#one(USE, [digest, now])
  }

  async list(): Promise<readonly ApiToken[]> {
    return (await this.#session.rows<TokenRow>(LIST, [])).map(toToken)
  }

  revoke(id: string, now?: Date): Promise<ApiToken | undefined> {
    return this.#one(REVOKE, [id, now])
  }

  async purge(keptDays: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(PURGE, [keptDays, now])
    return row?.purged ?? 0
  }

  async #one(
    statement: { readonly name: string; readonly text: string },
    params: readonly unknown[],
  ): Promise<ApiToken | undefined> {
    const [row] = await this.#session.rows<TokenRow>(statement, params)
    return row === undefined ? undefined : toToken(row)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { apiTokens: ApiTokensStore } => ({
  apiTokens: new SqlApiTokensStore(session),
})
