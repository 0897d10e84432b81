import type { Infer, Struct } from 'superstruct'
import type { Agents } from '../agents/agents.ts'
import type { Alerts } from '../alerts/alerts.ts'
import type { AlertWebhooks } from '../alerts/delivery/alert-webhooks.ts'
import type { Chat } from '../chat/chat.ts'
import type { Deployments } from '../deployments/deployments.ts'
import type { SystemCheck } from '../health/system-check.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Licenses } from '../licenses/licenses.ts'
import type { Monitors } from '../monitors/monitors.ts'
import type { SecondFactors } from '../second-factors/second-factors.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Tenants } from '../tenants/tenants.ts'
import type { Permission } from '../users/permission.ts'
import type { Users } from '../users/users.ts'
import { type Fields, read, shape } from '../validation.ts'
import type { AuditStore } from './audit-store.ts'
import type { Operator } from './operator.ts'

/** Services that operations use. */
export interface Services {
  readonly audit: AuditStore
  readonly agents: Agents
  readonly alerts: Alerts
  readonly alertWebhooks: AlertWebhooks
  readonly chat: Chat
  readonly deployments: Deployments
  readonly jobs: Jobs
  readonly licenses: Licenses
  readonly monitors: Monitors
  readonly secondFactors: SecondFactors
  readonly sessions: Sessions
  readonly systemCheck: SystemCheck
  readonly tenants: Tenants
  readonly users: Users
}

/** Answer of an operation: a JSON document. */
export type Answer = Readonly<Record<string, unknown>>

/** An action of operators. The command line, the local socket and HTTPS run the same table of operations. */
export interface Operation {
  /** `<feature>.<verb>` */
  readonly name: string
  /** One line for help texts and documents. */
  readonly summary: string
  readonly permission: Permission
  /** Whether a run leaves an audit row. */
  readonly changes: boolean
  /** Whether a signed-in user must give their credentials again, in addition to the session. */
  readonly confirmed?: true
  readonly input: Struct<unknown, unknown>
  /**
   * Validates the input and runs the operation. @throws Problem `invalid-input`, or the errors of the
   * services
   */
  readonly run: (services: Services, input: unknown, operator: Operator) => Promise<Answer>
}

/** Declaration of an operation; `run` gets input that was validated by `input`. */
export interface OperationParts<S extends Fields> {
  readonly name: string
  readonly summary: string
  readonly permission: Permission
  readonly changes: boolean
  readonly confirmed?: true
  readonly input: S
  readonly run: (
    services: Services,
    input: Infer<ReturnType<typeof shape<S>>>,
    operator: Operator,
  ) => Promise<Answer>
}

/** Declares an operation. */
export function operation<S extends Fields>(parts: OperationParts<S>): Operation {
  const struct = shape(parts.input)
  return {
    ...parts,
    input: struct as unknown as Struct<unknown, unknown>,
    run: (services, input, operator) => parts.run(services, read(struct, input), operator),
  }
}
