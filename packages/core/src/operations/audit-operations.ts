import { defaulted } from 'superstruct'
import { unixSeconds } from '../clock.ts'
import { whole } from '../validation.ts'
import type { AuditStore } from './audit-store.ts'
import { operationOf } from './operation.ts'

interface Services {
  readonly audit: AuditStore
}

const operation = operationOf<Services>()

/** Operations on the audit log. */
export const auditOperations = [
  operation({
    name: 'audit.list',
    summary: 'list what operators did, newest first',
    permission: 'platform.admin',
    changes: false,
    input: { limit: defaulted(whole(1, 1000), 100) },
    run: async ({ audit }, { limit }) => {
      const entries = await audit.list(limit)
      return { audit: entries.map(({ at, ...entry }) => ({ ...entry, at: unixSeconds(at) })) }
    },
  }),
]
