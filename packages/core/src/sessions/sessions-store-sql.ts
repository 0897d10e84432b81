import { instant, type Session } from '../storage/session.ts'
import type { User } from '../users/user.ts'
import {
  IDLE_SECONDS,
  type NewSession,
  SESSION_SECONDS,
  type SessionsStore,
  TOUCH_SECONDS,
} from './sessions-store.ts'

const AT = (parameter: string) => `coalesce(${parameter}::timestamptz, now())`

const OPEN = {
  name: 'session-open',
  text: `insert into sessions (digest, user_id, created_at, last_used_at, expires_at)
    values ($1, $2, ${AT('$3')}, ${AT('$3')}, ${AT('$3')} + make_interval(secs => ${SESSION_SECONDS})) returning expires_at`,
}
const USE = {
  name: 'session-use',
  text: `with live as (
      select s.digest, s.last_used_at, u.* from sessions s join (
        select id, email, role, null as tenant_id, disabled_at, created_at from admins
        union all select id, email, role, tenant_id, disabled_at, created_at from users) u on u.id = s.user_id
      where s.digest = $1 and s.revoked_at is null and s.expires_at > ${AT('$2')}
        and s.last_used_at > ${AT('$2')} - make_interval(secs => ${IDLE_SECONDS}) and u.disabled_at is null
    ), touched as (
      update sessions s set last_used_at = ${AT('$2')} from live
      where s.digest = live.digest and live.last_used_at < ${AT('$2')} - make_interval(secs => ${TOUCH_SECONDS}))
    select id, email, role, tenant_id, created_at from live`,
}
const REVOKE = {
  name: 'session-revoke',
  text: `update sessions set revoked_at = coalesce(revoked_at, ${AT('$2')}) where digest = $1`,
}
const REVOKE_ALL = {
  name: 'session-revoke-all',
  text: `update sessions set revoked_at = ${AT('$2')} where user_id = $1 and revoked_at is null
    and expires_at > ${AT('$2')} returning digest`,
}

interface LiveRow {
  readonly id: string
  readonly email: string
  readonly role: User['role']
  readonly tenant_id: string | null
  readonly created_at: string
}

/** Sessions in SQL. */
export class SqlSessionsStore implements SessionsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async open({ digest, userId }: NewSession, now?: Date): Promise<Date> {
    const [row] = await this.#session.rows<{ expires_at: string }>(OPEN, [digest, userId, now])
    if (row === undefined) throw new Error('the session statement returned no row')
    return instant(row.expires_at)
  }

  async use(digest: string, now?: Date): Promise<User | undefined> {
    const [row] = await this.#session.rows<LiveRow>(USE, [digest, now])
    if (row === undefined) return undefined
    const { id, email, role } = row
    const createdAt = instant(row.created_at)
    return { id, email, role, tenantId: row.tenant_id ?? undefined, createdAt, disabledAt: undefined } as User
  }

  async revoke(digest: string, now?: Date): Promise<void> {
    await this.#session.rows(REVOKE, [digest, now])
  }

  async revokeAll(userId: string, now?: Date): Promise<number> {
    return (await this.#session.rows(REVOKE_ALL, [userId, now])).length
  }
}
