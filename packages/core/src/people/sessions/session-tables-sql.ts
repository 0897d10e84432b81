import { defineEntity, p } from '@mikro-orm/core'
import { digest, type TablesOf, time, valuesOf, word } from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import { IDLE_SECONDS, type LiveSession, sessionPublicId } from './sessions-store.ts'

/** Table `sessions`. */
export const SessionEntity = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    digest: digest(p.text().primary()),
    userId: word(p.text()),
    minted: p.boolean().default(false),
    createdAt: time(),
    lastUsedAt: time(),
    expiresAt: time(),
    revokedAt: time().nullable(),
  },
})

/** Its tables. */
export const entities = [SessionEntity]

const read = valuesOf(SessionEntity, 'userId', 'minted', 'revokedAt')
/** Reads a row of `sessions`. */
export function toLiveSession(row: object): LiveSession {
  const { digest, ...times } = read(row)
  return { id: sessionPublicId(digest), ...times }
}

interface Tables extends TablesOf<typeof SessionEntity> {}

/** Statements over the table. */
export const { statement } = statementsOver<Tables>()

/** SQL: whether a session is neither revoked, nor expired, nor idle for too long. `now`: the time, in SQL. */
export const isLiveSession = (now: string): string => `revoked_at is null and expires_at > ${now}
  and last_used_at > ${now} - make_interval(secs => ${IDLE_SECONDS})`
