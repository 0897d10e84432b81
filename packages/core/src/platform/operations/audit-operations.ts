import { defaulted, optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { readPage } from '../../kernel/page.ts'
import { present } from '../../kernel/present.ts'
import { freeObject, listOf, matching, namedShape, text, unixSecond, whole } from '../../kernel/validation.ts'
import type { AuditEntry, AuditStore } from './audit-store.ts'
import { operationOf } from './operation.ts'

/** The store that operations on the audit log use. */
export interface AuditUses {
  readonly audit: AuditStore
}

const operation = operationOf<AuditUses>()

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
      const from = since === undefined ? undefined : new Date(since * 1000)
      const { rows, next } = await readPage({
        limit,
        before: cursor,
        read: (most, before) => audit.list(most, { ...filter, since: from, before }),
        cursorOf: ({ id }) => id,
      })
      return { audit: rows.map(auditView), ...present('next_cursor', next) }
    },
  }),
]
