import { defaulted } from 'superstruct'
import { unixSeconds } from '../clock.ts'
import { freeObject, listOf, shape, text, whole } from '../validation.ts'
import type { AuditEntry, AuditStore } from './audit-store.ts'
import { operationOf } from './operation.ts'

interface Services {
  readonly audit: AuditStore
}

const operation = operationOf<Services>()

/** Returns an entry of the audit log as operators see it. */
const auditView = ({ at, ...entry }: AuditEntry) => ({ ...entry, at: unixSeconds(at) })
/** An entry of the audit log as operators see it. */
export type AuditView = ReturnType<typeof auditView>

const word = text(0, 4096)
const entry = shape({
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
    summary: 'list what operators did, newest first',
    permission: 'platform.admin',
    scope: 'platform',
    changes: false,
    answer: { audit: listOf(entry, Number.POSITIVE_INFINITY) },
    input: { limit: defaulted(whole(1, 1000), 100) },
    run: async ({ audit }, { limit }) => ({ audit: (await audit.list(limit)).map(auditView) }),
  }),
]
