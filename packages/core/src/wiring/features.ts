import { access } from '../hosts/access/feature.ts'
import { nodeSecurity } from '../hosts/node-security/feature.ts'
import { provisioning } from '../hosts/provisioning/feature.ts'
import { transferKeys } from '../hosts/transfer-keys/feature.ts'
import type { Outside } from '../outside/outside.ts'
import { apiTokens } from '../people/api-tokens/feature.ts'
import { licenses } from '../people/licenses/feature.ts'
import type { Licenses } from '../people/licenses/licenses.ts'
import { secondFactors } from '../people/second-factors/feature.ts'
import { sessions } from '../people/sessions/feature.ts'
import { tenants } from '../people/tenants/feature.ts'
import { users } from '../people/users/feature.ts'
import type { Groups } from '../platform/config/settings.ts'
import { deliveries } from '../platform/deliveries/feature.ts'
import type { DnsClient } from '../platform/dns/dns-client.ts'
import { Features, featureOf } from '../platform/feature.ts'
import type { RateLimits } from '../platform/limits/rate-limits.ts'
import type { Outbound } from '../platform/net/outbound.ts'
import { audit } from '../platform/operations/feature.ts'
import type { Operation } from '../platform/operations/operation.ts'
import { scheduler } from '../platform/scheduler/feature.ts'
import type { Scheduler } from '../platform/scheduler/scheduler.ts'
import { secrets } from '../platform/secrets/feature.ts'
import { signals } from '../platform/signals/feature.ts'
import { billing } from '../reach/billing/feature.ts'
import { browser } from '../reach/browser/feature.ts'
import { chat } from '../reach/chat/feature.ts'
import { email } from '../reach/email/feature.ts'
import { webhooks } from '../reach/webhooks/feature.ts'
import { alerts } from '../watch/alerts/feature.ts'
import type { RefusalTally } from '../watch/alerts/rules/refusal-tally.ts'
import { health } from '../watch/health/feature.ts'
import type { Health } from '../watch/health/health.ts'
import { live } from '../watch/live/feature.ts'
import { monitors } from '../watch/monitors/feature.ts'
import { overview } from '../watch/overview/feature.ts'
import { surface } from '../watch/surface/feature.ts'
import { agents } from '../work/agents/feature.ts'
import { apps } from '../work/apps/feature.ts'
import { deployments } from '../work/deployments/feature.ts'
import { git } from '../work/git/feature.ts'
import { hostUsage } from '../work/host-usage/feature.ts'
import { images } from '../work/images/feature.ts'
import { jobs } from '../work/jobs/feature.ts'
import { retention } from '../work/retention/feature.ts'
import type { ControlPlaneParts } from './control-plane.ts'

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
  /** The settings of all features, by group. */
  readonly settings: Groups
  /** Types of the events of all features. */
  readonly eventTypes: readonly string[]
  /** Called when a check runs, since the scheduler is made later. */
  readonly scheduler: () => Scheduler
}

/** Rate windows that replicas share. They are a tool of features, with a table. */
const limits = featureOf()({
  sql: () => import('../platform/limits/rate-counter-sql.ts'),
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
  .with(signals)
  .with(jobs)
  .with(deployments)
  .with(retention)
  .with(hostUsage)
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
  .with(apps)
  .with(nodeSecurity)
  .with(provisioning)
  .with(chat)
  .with(browser)
  .with(audit)
  .with(secrets)
  .with(scheduler)
  .with(health)
  .with(overview)
  .with(live)
  .with(limits)

/** Types of events that webhooks send, by feature. */
export const EVENT_TYPES = FEATURES.events
export type EventType = (typeof EVENT_TYPES)[number]

/** Services that operations use. */
export type Services = Readonly<ReturnType<typeof FEATURES.services>>

/** All operations, by feature. */
export const OPERATIONS: readonly Operation<Services>[] = FEATURES.operations
