import { sql } from 'kysely'
import type { Session } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import { valuesOf } from '../../platform/database/table-sql.ts'
import { atOrNow } from '../../platform/database/typed-statement.ts'
import { instant } from '../../platform/database/values.ts'
import { UserEntity } from '../users/user-tables-sql.ts'
import type { User } from '../users/users-store.ts'
import { isLiveSession, statement, toLiveSession } from './session-tables-sql.ts'
import {
  type LiveSession,
  type NewSession,
  type OtherSessions,
  SESSION_SECONDS,
  type SessionsStore,
  TOUCH_SECONDS,
  type UsedSession,
} from './sessions-store.ts'

export { entities } from './session-tables-sql.ts'

type Opened = Required<NewSession> & { now: Date | undefined }
const OPEN = statement('session-open', (tables, { digest, userId, minted, now }: Opened) =>
  tables
    .insertInto('sessions')
    .values({
      digest,
      user_id: userId,
      minted,
      created_at: atOrNow(now),
      last_used_at: atOrNow(now),
      expires_at: sql<Date>`${atOrNow(now)} + make_interval(secs => ${SESSION_SECONDS})`,
    })
    .returning('expires_at'),
)
const USE = {
  name: 'session-use',
  text: `with live as (
      select s.digest, s.minted, s.last_used_at, u.* from sessions s join (
        select id, email, role, null as tenant_id, disabled_at, created_at from admins
        union all select id, email, role, tenant_id, disabled_at, created_at from users) u on u.id = s.user_id
      where s.digest = $1 and ${isLiveSession(at('$2'))} and u.disabled_at is null
    ), touched as (
      update sessions s set last_used_at = ${at('$2')} from live
      where s.digest = live.digest and live.last_used_at < ${at('$2')} - make_interval(secs => ${TOUCH_SECONDS}))
    select id, email, role, tenant_id, created_at, minted from live`,
}
const LIVE = {
  name: 'session-live',
  text: `select digest, created_at, last_used_at, expires_at from sessions where user_id = $1 and ${isLiveSession(at('$2'))}
    order by created_at desc, digest collate "C"`,
}
const REVOKE = statement(
  'session-revoke',
  (tables, { digest, now }: { digest: string; now: Date | undefined }) =>
    tables
      .updateTable('sessions')
      .set({ revoked_at: sql<Date>`coalesce(revoked_at, ${atOrNow(now)})` })
      .where('digest', '=', digest),
)
const REVOKE_ALL = statement(
  'session-revoke-all',
  (tables, { userId, now }: { userId: string; now: Date | undefined }) =>
    tables
      .updateTable('sessions')
      .set({ revoked_at: atOrNow(now) })
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', sql<string>`${atOrNow(now)}`)
      .returning('digest'),
)
const REVOKE_OTHERS = {
  name: 'session-revoke-others',
  text: `update sessions set revoked_at = ${at('$4')} where user_id = $1 and digest <> $2
    and ($3::text is null or starts_with(digest, $3)) and ${isLiveSession(at('$4'))} returning digest`,
}

const PURGE = {
  name: 'session-purge',
  text: `with gone as (delete from sessions where expires_at < ${at('$2')} - make_interval(days => $1) returning 1)
    select count(*)::int as purged from gone`,
}

const toUser = valuesOf(UserEntity, 'passwordHash', 'disabledAt')

/** Sessions in SQL. */
export class SqlSessionsStore implements SessionsStore {
  readonly #session: Session

  constructor(session: Session) {
    this.#session = session
  }

  async open({ digest, userId, minted = false }: NewSession, now?: Date): Promise<Date> {
    const [row] = await OPEN.run(this.#session, { digest, userId, minted, now })
    if (row === undefined) throw new Error('the session statement returned no row')
    return instant(row.expires_at)
  }

  async use(digest: string, now?: Date): Promise<UsedSession | undefined> {
    const [row] = await this.#session.rows<{ readonly minted: boolean }>(USE, [digest, now])
    if (row === undefined) return undefined
    const user: User = { ...toUser(row), disabledAt: undefined }
    return { user, minted: row.minted }
  }

  async live(userId: string, now?: Date): Promise<readonly LiveSession[]> {
    return (await this.#session.rows<object>(LIVE, [userId, now])).map(toLiveSession)
  }

  async revoke(digest: string, now?: Date): Promise<void> {
    await REVOKE.run(this.#session, { digest, now })
  }

  async revokeOthers({ userId, kept, id }: OtherSessions, now?: Date): Promise<number> {
    return (await this.#session.rows(REVOKE_OTHERS, [userId, kept, id, now])).length
  }

  async revokeAll(userId: string, now?: Date): Promise<number> {
    return (await REVOKE_ALL.run(this.#session, { userId, now })).length
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
