import type { Session } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { type Credentials, toCredentials } from './user-tables-sql.ts'
import type { NewUser, User, UserChange, UsersStore } from './users-store.ts'

export { entities } from './user-tables-sql.ts'

const EVERYBODY = `(select id, email, role, null as tenant_id, password_hash, disabled_at, created_at from admins
  union all select id, email, role, tenant_id, password_hash, disabled_at, created_at from users) u`

const AT = at('$6')
const FREE = `not exists (select from ${EVERYBODY} where u.email = $2)`
const ADD = {
  name: 'user-add',
  text: `with admin as (
      insert into admins (id, email, role, password_hash, created_at)
      select $1, $2, $3, $5, ${AT} where $4::text is null and ${FREE} on conflict (email) do nothing returning id
    ), member as (
      insert into users (id, email, role, tenant_id, password_hash, created_at)
      select $1, $2, $3, $4, $5, ${AT} where $4::text is not null and ${FREE} on conflict (email) do nothing returning id)
    select id from admin union all select id from member`,
}
const FIRST = `exists (select from admins where role = 'super_admin')`
// Two who come at once wait for each other: a statement does not see the rows of another's transaction.
const ADDING_FIRST = { name: 'user-adding-first', text: 'select pg_advisory_xact_lock(7142024816)' }
const ADD_FIRST = {
  name: 'user-add-first',
  text: `insert into admins (id, email, role, password_hash, created_at)
    select $1, $2, $3, $4, ${at('$5')} where not ${FIRST} and ${FREE} on conflict (email) do nothing returning id`,
}
const HAS_FIRST = { name: 'user-has-first', text: `select ${FIRST} as has` }
const BY_EMAIL = { name: 'user-by-email', text: `select * from ${EVERYBODY} where u.email = $1` }
// Byte order does not depend on the locale of the database.
const LIST = { name: 'user-list', text: `select * from ${EVERYBODY} order by u.email collate "C"` }

const SET = `role = coalesce($2::text, role), password_hash = coalesce($3::text, password_hash),
  disabled_at = case when $4::boolean is null then disabled_at when not $4 then null
    else coalesce(disabled_at, ${at('$5')}) end`
const SAME = '($6::text is null or password_hash = $6)'
const CHANGE = {
  name: 'user-change',
  text: `with admin as (update admins set ${SET} where id = $1 and ${SAME} returning email),
    member as (update users set ${SET} where id = $1 and ${SAME} returning email),
    ended as (update sessions set revoked_at = coalesce(revoked_at, ${at('$5')})
      where user_id = $1 and ($3::text is not null or $4)
        and ($6::text is null or exists (select from admin union all select from member)) returning 1)
    select email from admin union all select email from member`,
}

/** Users in SQL: staff in `admins`, product users in `users`. */
export class SqlUsersStore implements UsersStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async add(user: NewUser, now?: Date): Promise<User | undefined> {
    const params = [user.id, user.email, user.role, user.tenantId, user.passwordHash, now]
    const added = await this.#session.rows(ADD, params)
    return added.length === 0 ? undefined : this.byEmail(user.email)
  }

  async addFirst({ id, email, role, passwordHash }: NewUser, now?: Date): Promise<User | undefined> {
    await this.#session.rows(ADDING_FIRST, [])
    const added = await this.#session.rows(ADD_FIRST, [id, email, role, passwordHash, now])
    return added.length === 0 ? undefined : this.byEmail(email)
  }

  async hasFirst(): Promise<boolean> {
    const [row] = await this.#session.rows<{ has: boolean }>(HAS_FIRST, [])
    return row?.has === true
  }

  async byEmail(email: string): Promise<User | undefined> {
    return (await this.credentials(email))?.user
  }

  async credentials(email: string): Promise<Credentials | undefined> {
    return (await this.#session.rows<object>(BY_EMAIL, [email])).map(toCredentials)[0]
  }

  async change(userId: string, change: UserChange, now?: Date): Promise<User | undefined> {
    const params = [userId, change.role, change.passwordHash, change.disabled, now, change.formerHash]
    const [row] = await this.#session.rows<{ email: string }>(CHANGE, params)
    return row === undefined ? undefined : this.byEmail(row.email)
  }

  async list(): Promise<readonly User[]> {
    return (await this.#session.rows<object>(LIST, [])).map((row) => toCredentials(row).user)
  }
}

/** The store of the feature. */
export const stores = (session: Session): { users: UsersStore } => ({ users: new SqlUsersStore(session) })
