import { accessOperations } from '../access/access-operations.ts'
import { AgentMetrics } from '../agents/agent-metrics.ts'
import { agentOperations } from '../agents/agent-operations.ts'
import { Agents } from '../agents/agents.ts'
import { alertOperations } from '../alerts/alert-operations.ts'
import { alertMailOperations } from '../alerts/delivery/alert-mail-operations.ts'
import { alertWebhookOperations } from '../alerts/delivery/alert-webhook-operations.ts'
import type { RefusalTally } from '../alerts/rules/refusal-tally.ts'
import { apiTokenOperations } from '../api-tokens/api-token-operations.ts'
import { ApiTokens } from '../api-tokens/api-tokens.ts'
import { billingEventOperations } from '../billing/billing-event-operations.ts'
import { billingOperations } from '../billing/billing-operations.ts'
import { browserOperations } from '../browser/browser-operations.ts'
import { chatOperations } from '../chat/chat-operations.ts'
import type { ControlPlaneParts } from '../control-plane.ts'
import { Deployments } from '../deployments/deployments.ts'
import { emailDomainOperations } from '../email/domains/email-domain-operations.ts'
import { emailQueueOperations } from '../email/email-queue-operations.ts'
import { emailKeyOperations } from '../email/keys/email-key-operations.ts'
import { reminderOperations } from '../email/reminders/reminder-operations.ts'
import { gitHookOperations } from '../git/git-hook-operations.ts'
import type { Health } from '../health/health.ts'
import { healthOperations } from '../health/health-operations.ts'
import { ImageMetrics } from '../images/image-metrics.ts'
import { imageOperations } from '../images/image-operations.ts'
import { Images } from '../images/images.ts'
import { EnqueueLimits } from '../jobs/enqueue-limits.ts'
import { JobMetrics } from '../jobs/job-metrics.ts'
import { jobOperations } from '../jobs/job-operations.ts'
import { Jobs } from '../jobs/jobs.ts'
import { licenseDeedOperations } from '../licenses/license-deed-operations.ts'
import { LicenseDeeds } from '../licenses/license-deeds.ts'
import { licenseOperations } from '../licenses/license-operations.ts'
import type { Licenses } from '../licenses/licenses.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import type { DnsClient } from '../monitors/dns-client.ts'
import { monitorOperations } from '../monitors/monitor-operations.ts'
import { Monitors } from '../monitors/monitors.ts'
import { NodeSecurity } from '../node-security/node-security.ts'
import { nodeSecurityOperations } from '../node-security/node-security-operations.ts'
import { auditOperations } from '../operations/audit-operations.ts'
import type { Operation } from '../operations/operation.ts'
import { provisioningOperations } from '../provisioning/provisioning-operations.ts'
import { provisioningOrderOperations } from '../provisioning/provisioning-order-operations.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import { SecondFactors } from '../second-factors/second-factors.ts'
import { secretOperations } from '../secrets/secret-operations.ts'
import { Secrets } from '../secrets/secrets.ts'
import { Sessions } from '../sessions/sessions.ts'
import { surfaceOperations } from '../surface/surface-operations.ts'
import { tenantOperations } from '../tenants/tenant-operations.ts'
import { Tenants } from '../tenants/tenants.ts'
import { TransferKeys } from '../transfer-keys/transfer-keys.ts'
import { TransferMetrics } from '../transfer-keys/transfer-metrics.ts'
import { transferOperations } from '../transfer-keys/transfer-operations.ts'
import { Passwords } from '../users/passwords.ts'
import { userOperations } from '../users/user-operations.ts'
import { Users } from '../users/users.ts'
import { webhookOperations } from '../webhooks/webhook-operations.ts'
import { accessOf } from './access.ts'
import { alertsOf, webhookOutbound } from './alerts.ts'
import type { Base } from './base.ts'
import { billingOf } from './billing.ts'
import { browserOf } from './browser.ts'
import { chatOf } from './chat.ts'
import { emailOf } from './email.ts'
import { gitOf } from './git.ts'
import { provisioningOf } from './provisioning.ts'
import { surfaceOf } from './surface.ts'
import { systemCheckOf } from './system-check.ts'
import { webhooksOf } from './webhooks.ts'

/** Parts of a plane that services use and no operation does. */
export interface Beside {
  readonly parts: ControlPlaneParts
  readonly dns: DnsClient
  readonly health: Health
  readonly licenses: Licenses
  readonly limits: RateLimits
  readonly refusals: RefusalTally
  /** Called when a check runs, since the scheduler is made later. */
  readonly scheduler: () => Scheduler
}

/** Makes the services that operations use; each feature adds its own. */
export function servicesOf(base: Base, beside: Beside) {
  const { config, storage, metrics } = base
  const { parts, dns, health, licenses, refusals, scheduler } = beside
  const { leaseSeconds } = config.jobs
  const limits = new EnqueueLimits({ ...config.jobs, limits: beside.limits, jobs: storage.jobs })
  const jobs = new Jobs({ ...base, licenses, metrics: new JobMetrics(metrics), leaseSeconds, limits })
  const chat = chatOf(base, parts, health)
  const monitors = new Monitors({ ...base, dns, dnsServers: config.monitors.dnsServers })
  const users = new Users(base)
  const secondFactors = new SecondFactors({ ...base, users, ...config.secondFactors })
  const secrets = new Secrets(base)
  const access = accessOf(base, health)
  const outbound = webhookOutbound(base, parts)
  const licenseDeeds = new LicenseDeeds(base)
  const email = emailOf(base, parts, { dns, licenses })
  const { sending: mail } = email.emails
  return {
    ...access,
    ...alertsOf(base, outbound, { monitors, refusals, mail }),
    ...webhooksOf(base, outbound),
    ...provisioningOf(base, parts, { licenses }),
    ...gitOf(base, parts, { jobs, licenses, licenseDeeds }),
    agents: agentsOf(base, jobs),
    apiTokens: new ApiTokens(base),
    audit: storage.audit,
    ...billingOf(base, parts, licenses),
    ...browserOf(base, parts, licenses),
    chat,
    deployments: new Deployments(storage),
    ...email,
    images: new Images({ ...base, ...config.images, jobs, metrics: new ImageMetrics(metrics) }),
    jobs,
    licenseDeeds,
    licenses,
    monitors,
    nodeSecurity: new NodeSecurity({ ...base, ...config.nodeSecurity, jobs, licenses }),
    secondFactors,
    secrets,
    sessions: sessionsOf(base, secondFactors),
    surface: surfaceOf(base, dns, health),
    systemCheck: systemCheckOf(base, parts, { dns, chat, licenses, secrets, scheduler, ...access }),
    tenants: new Tenants(base),
    transferKeys: transferKeysOf(base),
    users,
  }
}

/** Services that operations use. */
export type Services = Readonly<ReturnType<typeof servicesOf>>

/** All operations; each feature adds its own. */
export const OPERATIONS: readonly Operation<Services>[] = [
  ...licenseOperations,
  ...licenseDeedOperations,
  ...tenantOperations,
  ...userOperations,
  ...apiTokenOperations,
  ...jobOperations,
  ...imageOperations,
  ...transferOperations,
  ...surfaceOperations,
  ...agentOperations,
  ...accessOperations,
  ...alertOperations,
  ...alertWebhookOperations,
  ...alertMailOperations,
  ...webhookOperations,
  ...monitorOperations,
  ...emailDomainOperations,
  ...emailKeyOperations,
  ...emailQueueOperations,
  ...reminderOperations,
  ...billingOperations,
  ...billingEventOperations,
  ...gitHookOperations,
  ...nodeSecurityOperations,
  ...provisioningOperations,
  ...provisioningOrderOperations,
  ...chatOperations,
  ...browserOperations,
  ...auditOperations,
  ...secretOperations,
  ...healthOperations,
]

/** Binary logarithm of the cost of a PIN's hash: whoever guesses has five tries. */
const PIN_LOG_N = 15

// Production is behind TLS unless its address has another scheme, which may be written in capitals.
function sessionsOf(base: Base, secondFactors: SecondFactors): Sessions {
  const { publicUrl, production } = base.config.service
  const secure = publicUrl === undefined ? production : URL.parse(publicUrl)?.protocol === 'https:'
  return new Sessions({ ...base, ...base.config.sessions, secure, secondFactors })
}

function transferKeysOf(base: Base): TransferKeys {
  const metrics = new TransferMetrics(base.metrics)
  return new TransferKeys({ ...base, ...base.config.transfers, metrics, pins: new Passwords(PIN_LOG_N) })
}

function agentsOf(base: Base, jobs: Jobs): Agents {
  const { perLicense: hostsPerLicense } = base.config.hosts
  return new Agents({ ...base, jobs, metrics: new AgentMetrics(base.metrics), hostsPerLicense })
}
