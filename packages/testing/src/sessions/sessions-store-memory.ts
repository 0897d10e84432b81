import {
  IDLE_SECONDS,
  type NewSession,
  SESSION_SECONDS,
  type SessionsStore,
  TOUCH_SECONDS,
  type User,
} from '@svc/core'
import type { MemoryTables } from '../memory-tables.ts'
import type { Run } from '../memory-turns.ts'

/** A session as the fake keeps it. */
export interface MemorySession extends NewSession {
  readonly lastUsedAt: Date
  readonly expiresAt: Date
  readonly revokedAt: Date | undefined
}

const later = (at: Date, seconds: number) => new Date(at.getTime() + seconds * 1000)

const isLive = (session: MemorySession, now: Date) =>
  session.revokedAt === undefined && session.expiresAt > now && later(session.lastUsedAt, IDLE_SECONDS) > now

/** Sessions in memory. */
export function memorySessionsStore(
  { sessions, users }: MemoryTables,
  run: Run,
  time: () => Date,
): SessionsStore {
  return {
    open: ({ digest, userId }: NewSession, now = time()) =>
      run(() => {
        if (sessions.get(digest) !== undefined) throw new Error('there is a session with this digest already')
        const expiresAt = later(now, SESSION_SECONDS)
        sessions.put(digest, { digest, userId, lastUsedAt: now, expiresAt, revokedAt: undefined })
        return expiresAt
      }),
    use: (digest: string, now = time()) =>
      run(() => {
        const session = sessions.get(digest)
        const row = session === undefined ? undefined : users.get(session.userId)
        if (session === undefined || row === undefined) return undefined
        if (!isLive(session, now) || row.disabledAt !== undefined) return undefined
        if (later(session.lastUsedAt, TOUCH_SECONDS) < now)
          sessions.put(digest, { ...session, lastUsedAt: now })
        const { passwordHash, ...user } = row
        return user as User
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
  }
}
