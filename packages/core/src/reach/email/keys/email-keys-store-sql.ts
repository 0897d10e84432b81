import { type SqlBool, sql } from 'kysely'
import type { Scope } from '../../../kernel/scope.ts'
import { tokensIn } from '../../../people/api-tokens/token-rows-sql.ts'
import { ofLicenses } from '../../../platform/database/scoped-statement.ts'
import type { Session, Statement } from '../../../platform/database/session.ts'
import { at } from '../../../platform/database/statement-time.ts'
import { isAbsent } from '../../../platform/database/typed-statement.ts'
import { scoped, toEmailKey } from '../email-tables-sql.ts'
import type { EmailKey } from './email-key.ts'
import type { EmailKeyPage, EmailKeysStore, NewEmailKey } from './email-keys-store.ts'

// Additions at the same instant may pass the limit together: it bounds a list, and is no price.
const ADD: Statement = {
  name: 'email-key-add',
  text: `insert into email_keys (id, owner, name, prefix, digest, domain_id, expires_at, created_at)
    select $1, $2, $3, $4, $5, $6, $7::timestamptz, ${at('$9')}
    where (select count(*) from email_keys where owner = $2 and revoked_at is null) < $8::int returning *`,
}
const FIND = scoped(
  'email-key-find',
  (tables, { id }: { id: string }, isOwned) =>
    tables
      .selectFrom('email_keys')
      .selectAll()
      .where(isOwned)
      .where('id', '=', id)
      .where('revoked_at', 'is', null),
  ofLicenses('owner'),
)
const LIST = scoped(
  'email-key-list',
  (tables, { after, limit }: EmailKeyPage, isOwned) =>
    tables
      .selectFrom('email_keys')
      .selectAll()
      .where(isOwned)
      .where('revoked_at', 'is', null)
      .where(({ or }) => or([isAbsent(after), sql<SqlBool>`id collate "C" > ${after}`]))
      .orderBy(sql`id collate "C"`)
      .limit(limit),
  ofLicenses('owner'),
)
const KEYS = tokensIn({ table: 'email_keys', name: 'email-key', expires: true, read: toEmailKey })

/** Sending keys in SQL. */
export class SqlEmailKeysStore implements EmailKeysStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(key: NewEmailKey, limit: number, now?: Date): Promise<EmailKey | undefined> {
    const { id, owner, name, prefix, digest, domainId, expiresAt } = key
    const params = [id, owner, name, prefix, digest, domainId, expiresAt, limit, now]
    return (await this.#session.rows<object>(ADD, params)).map(toEmailKey)[0]
  }

  use(digest: string, now?: Date): Promise<EmailKey | undefined> {
    return KEYS.use(this.#session, digest, now)
  }

  async find(scope: Scope, id: string): Promise<EmailKey | undefined> {
    return (await FIND.run(this.#session, scope, { id })).map(toEmailKey)[0]
  }

  async list(scope: Scope, page: EmailKeyPage): Promise<readonly EmailKey[]> {
    return (await LIST.run(this.#session, scope, page)).map(toEmailKey)
  }

  async revoke(id: string, now?: Date): Promise<boolean> {
    return (await KEYS.revoke(this.#session, id, now)) !== undefined
  }

  purge(keptDays: number, now?: Date): Promise<number> {
    return KEYS.purge(this.#session, keptDays, now)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { emailKeys: EmailKeysStore } => ({
  emailKeys: new SqlEmailKeysStore(session),
})
