import { IDLE_SECONDS } from '@svc/core/adapters'
import {
  type NewSession,
  type OtherSessions,
  SESSION_SECONDS,
  type SessionsStore,
  sessionPublicId,
  TOUCH_SECONDS,
  type User,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { byBytes } from '../../text-order.ts'
import type { MemoryUser } from '../users/users-store-memory.ts'

/** A session as the fake stores it. */
export interface MemorySession extends NewSession {
  readonly createdAt: Date
  readonly lastUsedAt: Date
  readonly expiresAt: Date
  readonly revokedAt: Date | undefined
}

const DAY_SECONDS = 86_400

const later = (at: Date, seconds: number) => new Date(at.getTime() + seconds * 1000)

/** Whether a session is neither revoked, nor expired, nor idle for too long. */
export const isLiveSession = (session: MemorySession, now: Date): boolean =>
  session.revokedAt === undefined && session.expiresAt > now && later(session.lastUsedAt, IDLE_SECONDS) > now

/** Sessions in memory. */
export function memorySessionsStore(tables: MemoryTables, run: Run, time: () => Date): SessionsStore {
  const sessions = tables.of<MemorySession>('sessions')
  const users = tables.of<MemoryUser>('users')
  return {
    open: ({ digest, userId, minted = false }: NewSession, now = time()) =>
      run(() => {
        if (sessions.get(digest) !== undefined) throw new Error('there is a session with this digest already')
        const expiresAt = later(now, SESSION_SECONDS)
        sessions.put(digest, {
          digest,
          userId,
          minted,
          createdAt: now,
          lastUsedAt: now,
          expiresAt,
          revokedAt: undefined,
        })
        return expiresAt
      }),
    use: (digest: string, now = time()) =>
      run(() => {
        const session = sessions.get(digest)
        const row = session === undefined ? undefined : users.get(session.userId)
        if (session === undefined || row === undefined) return undefined
        if (!isLiveSession(session, now) || row.disabledAt !== undefined) return undefined
        if (later(session.lastUsedAt, TOUCH_SECONDS) < now)
          sessions.put(digest, { ...session, lastUsedAt: now })
        const { passwordHash, ...user } = row
        return { user: user as User, minted: session.minted ?? false }
      }),
    live: (userId: string, now = time()) =>
      run(() =>
        sessions
          .all()
          .filter((each) => each.userId === userId && isLiveSession(each, now))
          .sort(
            (one, other) =>
              Number(other.createdAt) - Number(one.createdAt) || byBytes(one.digest, other.digest),
          )
          .map(({ digest, createdAt, lastUsedAt, expiresAt }) => ({
            id: sessionPublicId(digest),
            createdAt,
            lastUsedAt,
            expiresAt,
          })),
      ),
    revokeOthers: ({ userId, kept, id }: OtherSessions, now = time()) =>
      run(() => {
        const others = sessions.all().filter((each) => each.userId === userId && each.digest !== kept)
        const named = others.filter(({ digest }) => id === undefined || sessionPublicId(digest) === id)
        const ending = named.filter((each) => isLiveSession(each, now))
        for (const session of ending) sessions.put(session.digest, { ...session, revokedAt: now })
        return ending.length
      }),
    revoke: (digest: string, now = time()) =>
      run(() => {
        const session = sessions.get(digest)
        if (session !== undefined) sessions.put(digest, { ...session, revokedAt: session.revokedAt ?? now })
      }),
    revokeAll: (userId: string, now = time()) =>
      run(() => {
        const open = sessions.all().filter((each) => each.userId === userId && each.revokedAt === undefined)
        const live = open.filter((each) => each.expiresAt > now)
        for (const session of live) sessions.put(session.digest, { ...session, revokedAt: now })
        return live.length
      }),
    purge: (keptDays: number, now = time()) =>
      run(() => {
        const gone = sessions.all().filter(({ expiresAt }) => later(expiresAt, keptDays * DAY_SECONDS) < now)
        for (const { digest } of gone) sessions.put(digest, undefined)
        return gone.length
      }),
  }
}
