import { defaulted, optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { firstIdAt } from '../../kernel/ids.ts'
import { LOOKED_ROWS, readPage } from '../../kernel/page.ts'
import { present } from '../../kernel/present.ts'
import { freeObject, listOf, matching, namedShape, text, unixSecond, whole } from '../../kernel/validation.ts'
import type { AuditEntry, AuditStore } from './audit-store.ts'
import { operationOf } from './operation.ts'

/** The store that operations on the audit log use. */
export interface AuditUses {
  readonly audit: AuditStore
}

const operation = operationOf<AuditUses>()

/** The clock of a replica, which makes ids, and the database's, which notes times, are never so far apart. */
const CLOCKS_APART_MS = 86_400_000

/** Returns an entry of the audit log as operators see it. */
const auditView = ({ at, ...entry }: AuditEntry) => ({ ...entry, at: unixSeconds(at) })
/** An entry of the audit log as operators see it. */
export type AuditView = ReturnType<typeof auditView>

const word = text(0, 4096)
const entry = namedShape('AuditEntry', {
  id: word,
  at: whole(0, Number.MAX_SAFE_INTEGER),
  actor: word,
  operation: word,
  input: freeObject(),
  outcome: word,
})

/** Operations on the audit log. */
export const auditOperations = [
  operation({
    name: 'audit.list',
    summary: 'list the actions of operators, newest first',
    permission: 'platform.admin',
    scope: 'platform',
    changes: false,
    answer: { audit: listOf(entry, Number.POSITIVE_INFINITY), next_cursor: optional(word) },
    input: {
      limit: defaulted(whole(1, 1000), 100),
      who: optional(text(1, 256)),
      operation: optional(text(1, 64)),
      since: optional(unixSecond()),
      cursor: optional(matching(/^aud_[0-9a-z]{26}$/, 'the next_cursor of an earlier answer')),
    },
    run: async ({ audit }, { limit, since, cursor, ...filter }) => {
      const time = since === undefined ? undefined : new Date(since * 1000)
      const isRare = (filter.who ?? filter.operation) !== undefined
      const looked = isRare ? await audit.lookedTo(LOOKED_ROWS, cursor) : undefined
      const first =
        time === undefined ? '' : firstIdAt('aud', new Date(Math.max(0, time.getTime() - CLOCKS_APART_MS)))
      const isOver = looked === undefined || looked <= first
      const { rows, next = isOver ? undefined : looked } = await readPage({
        limit,
        before: cursor,
        read: (most, before) =>
          audit.list(most, { ...filter, since: time, before, from: isOver ? first : looked }),
        cursorOf: ({ id }) => id,
      })
      return { audit: rows.map(auditView), ...present('next_cursor', next) }
    },
  }),
]
