import { access } from '../access/feature.ts'
import { agents } from '../agents/feature.ts'
import { alerts } from '../alerts/feature.ts'
import type { RefusalTally } from '../alerts/rules/refusal-tally.ts'
import { apiTokens } from '../api-tokens/feature.ts'
import { billing } from '../billing/feature.ts'
import { browser } from '../browser/feature.ts'
import { chat } from '../chat/feature.ts'
import type { ControlPlaneParts } from '../control-plane.ts'
import { deliveries } from '../deliveries/feature.ts'
import { deployments } from '../deployments/feature.ts'
import type { DnsClient } from '../dns/dns-client.ts'
import { email } from '../email/feature.ts'
import { Features, featureOf } from '../feature.ts'
import { git } from '../git/feature.ts'
import { health } from '../health/feature.ts'
import type { Health } from '../health/health.ts'
import { images } from '../images/feature.ts'
import { jobs } from '../jobs/feature.ts'
import { licenses } from '../licenses/feature.ts'
import type { Licenses } from '../licenses/licenses.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import { monitors } from '../monitors/feature.ts'
import type { Outbound } from '../net/outbound.ts'
import { nodeSecurity } from '../node-security/feature.ts'
import { audit } from '../operations/feature.ts'
import type { Operation } from '../operations/operation.ts'
import type { Outside } from '../outside/outside.ts'
import { provisioning } from '../provisioning/feature.ts'
import { scheduler } from '../scheduler/feature.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import { secondFactors } from '../second-factors/feature.ts'
import { secrets } from '../secrets/feature.ts'
import { sessions } from '../sessions/feature.ts'
import { surface } from '../surface/feature.ts'
import { tenants } from '../tenants/feature.ts'
import { transferKeys } from '../transfer-keys/feature.ts'
import { users } from '../users/feature.ts'
import { webhooks } from '../webhooks/feature.ts'

/** The tools that a plane has before its features. */
export interface Tools {
  readonly parts: ControlPlaneParts
  readonly dns: DnsClient
  readonly health: Health
  readonly outside: Outside
  readonly licenses: Licenses
  readonly limits: RateLimits
  readonly refusals: RefusalTally
  /** Calls addresses that others chose. */
  readonly outbound: Outbound
  /** Called when a check runs, since the scheduler is made later. */
  readonly scheduler: () => Scheduler
}

/** Rate windows that replicas share. They are a tool of features, with a table. */
const limits = featureOf()({
  sql: () => import('../limits/rate-counter-sql.ts'),
  services: () => ({}),
  operations: [],
})

/** Every feature, in the order of their services' making. The lists of a plane follow from it. */
export const FEATURES = Features.over<Tools>()
  .with(licenses)
  .with(tenants)
  .with(users)
  .with(secondFactors)
  .with(sessions)
  .with(apiTokens)
  .with(jobs)
  .with(deployments)
  .with(agents)
  .with(images)
  .with(transferKeys)
  .with(access)
  .with(monitors)
  .with(deliveries)
  .with(webhooks)
  .with(email)
  .with(alerts)
  .with(surface)
  .with(billing)
  .with(git)
  .with(nodeSecurity)
  .with(provisioning)
  .with(chat)
  .with(browser)
  .with(audit)
  .with(secrets)
  .with(scheduler)
  .with(health)
  .with(limits)

/** Services that operations use. */
export type Services = Readonly<ReturnType<typeof FEATURES.services>>

/** All operations, by feature. */
export const OPERATIONS: readonly Operation<Services>[] = FEATURES.operations
