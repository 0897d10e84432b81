import { type SqlBool, sql } from 'kysely'
import type { Scope } from '../../../kernel/scope.ts'
import { TOUCH_SECONDS } from '../../../people/sessions/sessions-store.ts'
import { ofLicenses } from '../../../platform/database/scoped-statement.ts'
import type { Session, Statement } from '../../../platform/database/session.ts'
import { at } from '../../../platform/database/statement-time.ts'
import { atOrNow, isAbsent } from '../../../platform/database/typed-statement.ts'
import { scoped, statement, type Timed, toEmailKey } from '../email-tables-sql.ts'
import type { EmailKey } from './email-key.ts'
import type { EmailKeyPage, EmailKeysStore, NewEmailKey } from './email-keys-store.ts'

// Additions at the same instant may pass the limit together: it bounds a list, and is no price.
const ADD: Statement = {
  name: 'email-key-add',
  text: `insert into email_keys (id, owner, name, prefix, digest, domain_id, expires_at, created_at)
    select $1, $2, $3, $4, $5, $6, $7::timestamptz, ${at('$9')}
    where (select count(*) from email_keys where owner = $2 and revoked_at is null) < $8::int returning *`,
}
const USE: Statement = {
  name: 'email-key-use',
  text: `with live as (
      select * from email_keys where digest = $1 and revoked_at is null
        and (expires_at is null or expires_at > ${at('$2')})
    ), touched as (
      update email_keys k set last_used_at = ${at('$2')} from live where k.id = live.id
        and (k.last_used_at is null or k.last_used_at < ${at('$2')} - make_interval(secs => ${TOUCH_SECONDS})))
    select * from live`,
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
const REVOKE = statement('email-key-revoke', (tables, { id, now }: Timed & { id: string }) =>
  tables
    .updateTable('email_keys')
    .set({ revoked_at: atOrNow(now) })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id'),
)
const PURGE: Statement = {
  name: 'email-key-purge',
  text: `with gone as (delete from email_keys
      where least(revoked_at, expires_at) < ${at('$2')} - make_interval(days => $1) returning 1)
    select count(*)::int as purged from gone`,
}

/** Sending keys in SQL. */
export class SqlEmailKeysStore implements EmailKeysStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  add(key: NewEmailKey, limit: number, now?: Date): Promise<EmailKey | undefined> {
    const { id, owner, name, prefix, digest, domainId, expiresAt } = key
    return this.#one(ADD, [id, owner, name, prefix, digest, domainId, expiresAt, limit, now])
  }

  use(digest: string, now?: Date): Promise<EmailKey | undefined> {
    return this.#one(USE, [digest, now])
  }

  async find(scope: Scope, id: string): Promise<EmailKey | undefined> {
    return (await FIND.run(this.#session, scope, { id })).map(toEmailKey)[0]
  }

  async list(scope: Scope, page: EmailKeyPage): Promise<readonly EmailKey[]> {
    return (await LIST.run(this.#session, scope, page)).map(toEmailKey)
  }

  async revoke(id: string, now?: Date): Promise<boolean> {
    return (await REVOKE.run(this.#session, { id, now })).length > 0
  }

  async purge(keptDays: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(PURGE, [keptDays, now])
    return row?.purged ?? 0
  }

  async #one(statement: Statement, params: readonly unknown[]): Promise<EmailKey | undefined> {
    return (await this.#session.rows<object>(statement, params)).map(toEmailKey)[0]
  }
}

/** The store of the feature. */
export const stores = (session: Session): { emailKeys: EmailKeysStore } => ({
  emailKeys: new SqlEmailKeysStore(session),
})
