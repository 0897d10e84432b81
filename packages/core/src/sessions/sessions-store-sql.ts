import type { Session } from '../database/session.ts'
import { at } from '../database/statement-time.ts'
import { instant } from '../database/values.ts'
import type { User } from '../users/user.ts'
import {
  IDLE_SECONDS,
  type LiveSession,
  type NewSession,
  type OtherSessions,
  SESSION_SECONDS,
  type SessionsStore,
  sessionPublicId,
  TOUCH_SECONDS,
  type UsedSession,
} from './sessions-store.ts'

export { entities } from './session-tables-sql.ts'

const live = (at: string) => `revoked_at is null and expires_at > ${at}
  and last_used_at > ${at} - make_interval(secs => ${IDLE_SECONDS})`

const OPEN = {
  name: 'session-open',
  text: `insert into sessions (digest, user_id, minted, created_at, last_used_at, expires_at)
    values ($1, $2, $4, ${at('$3')}, ${at('$3')}, ${at('$3')} + make_interval(secs => ${SESSION_SECONDS})) returning expires_at`,
}
const USE = {
  name: 'session-use',
  text: `with live as (
      select s.digest, s.minted, s.last_used_at, u.* from sessions s join (
        select id, email, role, null as tenant_id, disabled_at, created_at from admins
        union all select id, email, role, tenant_id, disabled_at, created_at from users) u on u.id = s.user_id
      where s.digest = $1 and ${live(at('$2'))} and u.disabled_at is null
    ), touched as (
      update sessions s set last_used_at = ${at('$2')} from live
      where s.digest = live.digest and live.last_used_at < ${at('$2')} - make_interval(secs => ${TOUCH_SECONDS}))
    select id, email, role, tenant_id, created_at, minted from live`,
}
const LIVE = {
  name: 'session-live',
  text: `select digest, created_at, last_used_at, expires_at from sessions where user_id = $1 and ${live(at('$2'))}
    order by created_at desc, digest collate "C"`,
}
const REVOKE = {
  name: 'session-revoke',
  text: `update sessions set revoked_at = coalesce(revoked_at, ${at('$2')}) where digest = $1`,
}
const REVOKE_ALL = {
  name: 'session-revoke-all',
  text: `update sessions set revoked_at = ${at('$2')} where user_id = $1 and revoked_at is null
    and expires_at > ${at('$2')} returning digest`,
}

const REVOKE_OTHERS = {
  name: 'session-revoke-others',
  text: `update sessions set revoked_at = ${at('$4')} where user_id = $1 and digest <> $2
    and ($3::text is null or starts_with(digest, $3)) and ${live(at('$4'))} returning digest`,
}

const PURGE = {
  name: 'session-purge',
  text: `with gone as (delete from sessions where expires_at < ${at('$2')} - make_interval(days => $1) returning 1)
    select count(*)::int as purged from gone`,
}

interface SessionRow {
  readonly digest: string
  readonly created_at: string
  readonly last_used_at: string
  readonly expires_at: string
}

interface LiveRow {
  readonly id: string
  readonly email: string
  readonly role: User['role']
  readonly tenant_id: string | null
  readonly created_at: string
  readonly minted: boolean
}

/** Sessions in SQL. */
export class SqlSessionsStore implements SessionsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async open({ digest, userId, minted = false }: NewSession, now?: Date): Promise<Date> {
    const [row] = await this.#session.rows<{ expires_at: string }>(OPEN, [digest, userId, now, minted])
    if (row === undefined) throw new Error('the session statement returned no row')
    return instant(row.expires_at)
  }

  async use(digest: string, now?: Date): Promise<UsedSession | undefined> {
    const [row] = await this.#session.rows<LiveRow>(USE, [digest, now])
    if (row === undefined) return undefined
    const { id, email, role } = row
    const createdAt = instant(row.created_at)
    const tenantId = row.tenant_id ?? undefined
    const user = { id, email, role, tenantId, createdAt, disabledAt: undefined } as User
    return { user, minted: row.minted }
  }

  async live(userId: string, now?: Date): Promise<readonly LiveSession[]> {
    const rows = await this.#session.rows<SessionRow>(LIVE, [userId, now])
    return rows.map((row) => ({
      id: sessionPublicId(row.digest),
      createdAt: instant(row.created_at),
      lastUsedAt: instant(row.last_used_at),
      expiresAt: instant(row.expires_at),
    }))
  }

  async revoke(digest: string, now?: Date): Promise<void> {
    await this.#session.rows(REVOKE, [digest, now])
  }

  async revokeOthers({ userId, kept, id }: OtherSessions, now?: Date): Promise<number> {
    return (await this.#session.rows(REVOKE_OTHERS, [userId, kept, id, now])).length
  }

  async revokeAll(userId: string, now?: Date): Promise<number> {
    return (await this.#session.rows(REVOKE_ALL, [userId, now])).length
  }

  async purge(keptDays: number, now?: Date): Promise<number> {
    const [row] = await this.#session.rows<{ purged: number }>(PURGE, [keptDays, now])
    return row?.purged ?? 0
  }
}

/** The store of the feature. */
export const stores = (session: Session): { sessions: SessionsStore } => ({
  sessions: new SqlSessionsStore(session),
})
