import { idOf, ofLicenses, scoped } from '../../database/scoped-statement.ts'
import type { Session, Statement } from '../../database/session.ts'
import { at } from '../../database/statement-time.ts'
import { given, instant, maybeInstant } from '../../database/values.ts'
import type { Scope } from '../../scope.ts'
import { TOUCH_SECONDS } from '../../sessions/sessions-store.ts'
import type { EmailKey } from './email-key.ts'
import type { EmailKeyPage, EmailKeysStore, NewEmailKey } from './email-keys-store.ts'

interface KeyRow {
  readonly id: string
  readonly owner: string
  readonly name: string
  readonly prefix: string
  readonly domain_id: string | null
  readonly created_at: string
  readonly expires_at: string | null
  readonly last_used_at: string | null
}

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
  (isOwned) => `select * from email_keys where ${isOwned} and id = $2 and revoked_at is null`,
  ofLicenses('owner'),
)
const LIST = scoped(
  'email-key-list',
  (isOwned) => `select * from email_keys where ${isOwned} and revoked_at is null
    and ($2::text is null or id collate "C" > $2) order by id collate "C" limit $3`,
  ofLicenses('owner'),
)
const REVOKE: Statement = {
  name: 'email-key-revoke',
  text: `update email_keys set revoked_at = ${at('$2')} where id = $1 and revoked_at is null returning id`,
}
const PURGE: Statement = {
  name: 'email-key-purge',
  text: `with gone as (delete from email_keys
      where least(revoked_at, expires_at) < ${at('$2')} - make_interval(days => $1) returning 1)
    select count(*)::int as purged from gone`,
}

const toKey = (row: KeyRow): EmailKey => ({
  id: row.id,
  owner: row.owner,
  name: row.name,
  prefix: row.prefix,
  domainId: given(row.domain_id),
  createdAt: instant(row.created_at),
  expiresAt: maybeInstant(row.expires_at),
  lastUsedAt: maybeInstant(row.last_used_at),
})

/** Sending keys in SQL. */
export class SqlEmailKeysStore implements EmailKeysStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(key: NewEmailKey, limit: number, now?: Date): Promise<EmailKey | undefined> {
    const { id, owner, name, prefix, digest, domainId, expiresAt } = key
    return (await this.#all(ADD, [id, owner, name, prefix, digest, domainId, expiresAt, limit, now]))[0]
  }

  async use(digest: string, now?: Date): Promise<EmailKey | undefined> {
    return (await this.#all(USE, [digest, now]))[0]
  }

  async find(scope: Scope, id: string): Promise<EmailKey | undefined> {
    return (await this.#all(FIND(scope), [idOf(scope), id]))[0]
  }

  list(scope: Scope, { after, limit }: EmailKeyPage): Promise<readonly EmailKey[]> {
    return this.#all(LIST(scope), [idOf(scope), after, limit])
  }

  async revoke(id: string, now?: Date): Promise<boolean> {
    return (await this.#session.rows(REVOKE, [id, now])).length > 0
  }

  async purge(keptDays: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(PURGE, [keptDays, now])
    return row?.purged ?? 0
  }

  async #all(statement: Statement, params: readonly unknown[]): Promise<readonly EmailKey[]> {
    return (await this.#session.rows<KeyRow>(statement, params)).map(toKey)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { emailKeys: EmailKeysStore } => ({
  emailKeys: new SqlEmailKeysStore(session),
})
