import { optional } from 'superstruct'
import { finite, flag, listOf, namedShape, oneOf, text, whole } from '../../kernel/validation.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import { SYSTEM_STATUSES, type SystemCheck } from './system-check.ts'
import { SYSTEM_DETAILS } from './system-detail.ts'

/** The services that operations on the health of the service use. */
export interface HealthUses {
  readonly systemCheck: SystemCheck
}

const operation = operationOf<HealthUses>()

/** The rule of who may run the system check. */
export const CHECKING = { permission: 'platform.admin', scope: 'platform' } as const

/** A line of the system check in an answer. */
export const CHECK_LINE = namedShape('SystemCheck', {
  name: text(0, 128),
  status: oneOf(SYSTEM_STATUSES),
  detail: optional(oneOf(SYSTEM_DETAILS)),
  latency_ms: optional(finite()),
})

/** Operations on the health of the service. */
export const healthOperations = [
  operation({
    name: 'health.check',
    summary: 'check everything that the service depends on',
    ...CHECKING,
    changes: false,
    answer: {
      ok: flag(),
      checked_at: whole(0, Number.MAX_SAFE_INTEGER),
      duration_ms: finite(),
      version: text(0, 64),
      checks: listOf(CHECK_LINE, Number.POSITIVE_INFINITY),
    },
    input: {},
    run: async ({ systemCheck }) => ({ ...(await systemCheck.run()) }),
  }),
]
