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
import type { Outbound } from '../net/outbound.ts'
import { auditOperations } from '../operations/audit-operations.ts'
import type { Operation } from '../operations/operation.ts'
import { provisioningOperations } from '../provisioning/provisioning-operations.ts'
import { provisioningOrderOperations } from '../provisioning/provisioning-order-operations.ts'
import { type ScheduledTask, silent } from '../scheduler/scheduled-task.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import { SecondFactors } from '../second-factors/second-factors.ts'
import { secretOperations } from '../secrets/secret-operations.ts'
import { Secrets } from '../secrets/secrets.ts'
import { Sessions } from '../sessions/sessions.ts'
import { surfaceOperations } from '../surface/surface-operations.ts'
import type { TenantServices } from '../tenants/tenant-operations.ts'
import { TransferKeys } from '../transfer-keys/transfer-keys.ts'
import { TransferMetrics } from '../transfer-keys/transfer-metrics.ts'
import { transferOperations } from '../transfer-keys/transfer-operations.ts'
import { Passwords } from '../users/passwords.ts'
import { userOperations } from '../users/user-operations.ts'
import { Users } from '../users/users.ts'
import { accessOf } from './access.ts'
import { alertsOf } from './alerts.ts'
import type { Base } from './base.ts'
import { billingOf } from './billing.ts'
import { browserOf } from './browser.ts'
import { chatOf } from './chat.ts'
import { emailOf } from './email.ts'
import { featureOf } from './feature.ts'
import { gitOf } from './git.ts'
import { provisioningOf } from './provisioning.ts'
import { surfaceOf } from './surface.ts'
import { systemCheckOf } from './system-check.ts'

/** Parts of a plane that services use and no operation does. */
export interface Beside {
  readonly parts: ControlPlaneParts
  readonly dns: DnsClient
  readonly health: Health
  readonly licenses: Licenses
  readonly limits: RateLimits
  readonly refusals: RefusalTally
  /** Calls addresses that others chose. */
  readonly outbound: Outbound
  /** Called when a check runs, since the scheduler is made later. */
  readonly scheduler: () => Scheduler
}

function services(base: Base, beside: Beside) {
  const { config, storage, metrics } = base
  const { parts, dns, health, licenses, refusals, outbound, scheduler } = beside
  const { leaseSeconds } = config.jobs
  const limits = new EnqueueLimits({ ...config.jobs, limits: beside.limits, jobs: storage.jobs })
  const jobs = new Jobs({ ...base, licenses, metrics: new JobMetrics(metrics), leaseSeconds, limits })
  const chat = chatOf(base, parts, health)
  const monitors = new Monitors({ ...base, dns, dnsServers: config.monitors.dnsServers })
  const users = new Users(base)
  const secondFactors = new SecondFactors({ ...base, users, ...config.secondFactors })
  const secrets = new Secrets(base)
  const access = accessOf(base, health)
  const licenseDeeds = new LicenseDeeds(base)
  const email = emailOf(base, parts, { dns, licenses })
  const { sending: mail } = email.emails
  return {
    ...access,
    ...alertsOf(base, outbound, { monitors, refusals, mail }),
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
    secondFactors,
    secrets,
    sessions: sessionsOf(base, secondFactors),
    surface: surfaceOf(base, dns, health),
    systemCheck: systemCheckOf(base, parts, { dns, chat, licenses, secrets, scheduler, ...access }),
    transferKeys: transferKeysOf(base),
    users,
  }
}

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

type RestServices = ReturnType<typeof services>

const MONITORS_MS = 15_000
const EMAIL_DOMAINS_MS = 15_000
/** Proofs that are not looked up in this time wait for the next tick. */
const SURFACE_MS = 10_000
const EMAIL_DELIVERY_MS = 20_000
const PAYMENT_EVENTS_MS = 20_000
/** Steps are days: ten minutes late is in time. */
const REMINDER_SECONDS = 600
const PROVISIONING_MS = 20_000

const tasks = ({
  access,
  alerts,
  chat,
  emailDomains,
  emails,
  jobs,
  monitors,
  paymentEvents,
  reminders,
  provisioning,
  surface,
}: RestServices): readonly ScheduledTask[] => [
  {
    name: 'monitors',
    essential: true,
    budgetMs: MONITORS_MS,
    run: async (signal) => {
      const { ran, changed } = await monitors.runDue(signal)
      return { ran, changed }
    },
  },
  { name: 'alerts', run: async (signal) => ({ alerted: (await alerts.evaluate(signal)).drifts }) },
  {
    name: 'alert-delivery',
    run: silent((signal) => alerts.deliver(signal)),
  },
  {
    name: 'email-domains',
    budgetMs: EMAIL_DOMAINS_MS,
    run: silent((signal) => emailDomains.checkDue(signal)),
  },
  {
    name: 'email-reminders',
    everySeconds: REMINDER_SECONDS,
    budgetMs: EMAIL_DELIVERY_MS,
    run: async (signal) => {
      if (await reminders.isReady()) await reminders.run({ signal })
      return undefined
    },
  },
  {
    name: 'email-delivery',
    budgetMs: EMAIL_DELIVERY_MS,
    run: silent((signal) => emails.deliver(signal)),
  },
  {
    name: 'attack-surface',
    budgetMs: SURFACE_MS,
    run: silent((signal) => surface.runDue(signal)),
  },
  {
    name: 'payment-events',
    budgetMs: PAYMENT_EVENTS_MS,
    run: silent((signal) => paymentEvents.drain(signal)),
  },
  { name: 'chat-purge', run: async (signal) => ({ purgedChats: await chat.purge(signal) }) },
  {
    name: 'jobs',
    run: silent(() => jobs.sweep()),
  },
  {
    name: 'access',
    run: silent(() => access.sweep()),
  },
  {
    name: 'provisioning',
    budgetMs: PROVISIONING_MS,
    run: silent((signal) => provisioning.tick(signal)),
  },
]

async function purge(services: RestServices): Promise<void> {
  await services.alerts.purge()
  await services.reminders.purge()
  await services.sessions.purge()
  await services.licenseDeeds.purge()
  await services.apiTokens.purge()
  await services.browserTokens.purge()
  await services.emailKeys.purge()
  await services.emails.purge()
  await services.images.purge()
  await services.transferKeys.purge()
  await services.gitHooks.purge()
  await services.surface.purge()
  await services.paymentEvents.purge()
}

const operations: readonly Operation<RestServices & TenantServices>[] = [
  ...licenseOperations,
  ...licenseDeedOperations,
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
  ...monitorOperations,
  ...emailDomainOperations,
  ...emailKeyOperations,
  ...emailQueueOperations,
  ...reminderOperations,
  ...billingOperations,
  ...billingEventOperations,
  ...gitHookOperations,
  ...provisioningOperations,
  ...provisioningOrderOperations,
  ...chatOperations,
  ...browserOperations,
  ...auditOperations,
  ...secretOperations,
  ...healthOperations,
]

/** The features that are not objects of their own yet. */
export const rest = featureOf<Beside>()({
  stores: async () => (await import('./rest-stores-sql.ts')).stores,
  services,
  operations,
  tasks,
  purge,
})
