import { sql } from 'kysely'
import type { Session } from '../../platform/database/session.ts'
import { atOrNow } from '../../platform/database/typed-statement.ts'
import type { ApiToken } from './api-token.ts'
import { statement, toToken } from './api-token-tables-sql.ts'
import type { ApiTokensStore, NewApiToken } from './api-tokens-store.ts'
import { tokensIn } from './token-rows-sql.ts'

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
const LIST = statement('api-token-list', (tables) =>
  tables.selectFrom('api_tokens').selectAll().where('revoked_at', 'is', null).orderBy(sql`id collate "C"`),
)
const TOKENS = tokensIn({ table: 'api_tokens', name: 'api-token', expires: true, read: toToken })

/** API tokens in SQL. */
export class SqlApiTokensStore implements ApiTokensStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(token: NewApiToken, now?: Date): Promise<ApiToken> {
    const [added] = (await ADD.run(this.#session, { ...token, now })).map(toToken)
    if (added === undefined) throw new Error('the token statement returned no row')
    return added
  }

  use(digest: string, now?: Date): Promise<ApiToken | undefined> {
    return TOKENS.use(this.#session, digest, now)
  }

  async list(): Promise<readonly ApiToken[]> {
    return (await LIST.run(this.#session, {})).map(toToken)
  }

  revoke(id: string, now?: Date): Promise<ApiToken | undefined> {
    return TOKENS.revoke(this.#session, id, now)
  }

  purge(keptDays: number, now?: Date): Promise<number> {
    return TOKENS.purge(this.#session, keptDays, now)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { apiTokens: ApiTokensStore } => ({
  apiTokens: new SqlApiTokensStore(session),
})
