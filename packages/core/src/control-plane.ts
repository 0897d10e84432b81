import { AgentMetrics } from './agents/agent-metrics.ts'
import { Agents } from './agents/agents.ts'
import { AlertMetrics } from './alerts/alert-metrics.ts'
import { AlertNotifier } from './alerts/alert-notifier.ts'
import { AlertWebhooks } from './alerts/alert-webhooks.ts'
import { Alerts } from './alerts/alerts.ts'
import { RefusalTally } from './alerts/refusal-tally.ts'
import { HttpWebhookChannel } from './alerts/webhook-channel-http.ts'
import { Chat } from './chat/chat.ts'
import type { ContentFolder } from './chat/content-folder.ts'
import type { LanguageModel } from './chat/language-model.ts'
import { HttpLanguageModel } from './chat/language-model-http.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config/config.ts'
import { Deployments } from './deployments/deployments.ts'
import { registerGauges } from './health/gauges.ts'
import { Health } from './health/health.ts'
import type { ModelProbe } from './health/model-probe.ts'
import { httpModelProbe } from './health/model-probe-http.ts'
import { dnsCheck, languageModelCheck } from './health/reach-checks.ts'
import { licensingCheck, sessionSecretCheck, signingKeyCheck } from './health/secret-checks.ts'
import { settingsChecks } from './health/settings-checks.ts'
import { storageChecks } from './health/storage-checks.ts'
import { SystemCheck } from './health/system-check.ts'
import { docsIndexCheck, queuesCheck, schedulerCheck } from './health/work-checks.ts'
import { type Ids, randomIds } from './ids.ts'
import { JobMetrics } from './jobs/job-metrics.ts'
import { Jobs } from './jobs/jobs.ts'
import { Licenses } from './licenses/licenses.ts'
import type { RateCounter } from './limits/rate-counter.ts'
import { MemoryRateCounter } from './limits/rate-counter-memory.ts'
import { RateLimits } from './limits/rate-limits.ts'
import { type Log, silentLog } from './log.ts'
import { Metrics } from './metrics/metrics.ts'
import type { DnsClient } from './monitors/dns-client.ts'
import { nodeDnsClient } from './monitors/dns-client-node.ts'
import { Monitors } from './monitors/monitors.ts'
import { systemResolver } from './net/dns-system.ts'
import { createOutbound, type Outbound } from './net/outbound.ts'
import type { Services } from './operations/operation.ts'
import { Operations } from './operations/operations.ts'
import type { ScheduledTask } from './scheduler/scheduled-task.ts'
import { Scheduler } from './scheduler/scheduler.ts'
import { SchedulerMetrics } from './scheduler/scheduler-metrics.ts'
import { Sessions } from './sessions/sessions.ts'
import { Signer } from './signing/signer.ts'
import type { Storage } from './storage/storage.ts'
import { Tenants } from './tenants/tenants.ts'
import { systemTimers, type Timers } from './timers.ts'
import { Users } from './users/users.ts'

/** What a control plane is built from; everything but settings and storage has a production default. */
export interface ControlPlaneParts {
  readonly config: Config
  readonly storage: Storage
  readonly clock?: Clock
  readonly ids?: Ids
  readonly log?: Log
  readonly rateCounter?: RateCounter
  /** What monitors ask. */
  readonly dns?: DnsClient
  readonly timers?: Timers
  /** How addresses that others chose are called. */
  readonly outbound?: Outbound
  /** The documentation's folder of Markdown, which the chat answers from as `/docs`. */
  readonly docsDir?: string | undefined
  /** What the chat asks in the place of the model that the settings name. */
  readonly languageModel?: LanguageModel
  /** How the system check asks whether that model is there. */
  readonly modelProbe?: ModelProbe
}

/** The services of one control plane, ready to be called in process, mounted on HTTP or driven by the command line. */
export interface ControlPlane extends Services {
  readonly config: Config
  readonly storage: Storage
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly metrics: Metrics
  readonly signer: Signer
  readonly limits: RateLimits
  readonly health: Health
  readonly operations: Operations
  readonly scheduler: Scheduler
  readonly timers: Timers
}

/** `iss` of tokens when the service has no public address. */
const ISSUER = 'svc'

/** Wires a control plane: the only place where services are made. The caller keeps and disposes the storage. */
export function createControlPlane(parts: ControlPlaneParts): ControlPlane {
  const { config, storage, clock = systemClock, ids = randomIds(clock), log = silentLog } = parts
  const base = { storage, clock, ids }
  const issuer = config.service.publicUrl ?? ISSUER
  const { production } = config.service
  const metrics = new Metrics()
  const signer = new Signer(config.signing)
  const shared = config.limits.backend === 'postgres' ? storage.rates : undefined
  const counter = parts.rateCounter ?? shared ?? new MemoryRateCounter(clock)
  const jobs = new Jobs({ ...base, metrics: new JobMetrics(metrics), leaseSeconds: config.jobs.leaseSeconds })
  const licenses = new Licenses({ ...base, signer, issuer, licensing: config.licensing, production })
  const { timers = systemTimers } = parts
  const health = new Health({ storage, signer, licenses, timers, faults: config.faults })
  const chat = new Chat({
    ...base,
    timers,
    log,
    metrics,
    config,
    folders: contentFolders(config, parts.docsDir),
    model: parts.languageModel ?? modelOf(config),
    isDraining: () => health.isDraining,
  })
  const { dns = nodeDnsClient() } = parts
  const { dnsServers } = config.monitors
  const monitors = new Monitors({ ...base, dns, dnsServers })
  const outbound = parts.outbound ?? lazyOutbound(config, log)
  const plainHttp = !production || config.outbound.allow.length > 0
  const channel = new HttpWebhookChannel(outbound, { plainHttp })
  const { tickSeconds } = config.scheduler
  const refusals = new RefusalTally({ store: storage.alertFacts, clock, log })
  const notifier = new AlertNotifier({ ...base, log, channel, metrics: new AlertMetrics(metrics) })
  const systemChecks = [
    ...storageChecks(base),
    schedulerCheck({ clock, lastTick: () => scheduler.lastTick(), stallSeconds: config.alerts.stallSeconds }),
    queuesCheck(() => storage.jobs.counts(clock.forStores())),
    signingKeyCheck(signer),
    sessionSecretCheck(config),
    licensingCheck(licenses),
    dnsCheck(dns, dnsServers),
    languageModelCheck(parts.modelProbe ?? modelProbeOf(config), config),
    docsIndexCheck(() => chat.documents(), config.faults.chat !== undefined),
    ...settingsChecks(config),
  ]
  const services: Services = {
    agents: new Agents({ ...base, signer, issuer, jobs, metrics: new AgentMetrics(metrics) }),
    alerts: new Alerts({ ...base, monitors, thresholds: config.alerts, refusals, notifier, tickSeconds }),
    alertWebhooks: new AlertWebhooks({ ...base, channel, plainHttp }),
    audit: storage.audit,
    chat,
    deployments: new Deployments(storage),
    jobs,
    licenses,
    monitors,
    sessions: new Sessions({ ...base, ...config.sessions, production, secure: issuer.startsWith('https:') }),
    systemCheck: new SystemCheck({ clock, timers, checks: systemChecks }),
    tenants: new Tenants(base),
    users: new Users(base),
  }
  const scheduler = new Scheduler({
    storage,
    clock,
    log,
    timers,
    metrics: new SchedulerMetrics(metrics),
    tasks: tasksOf(services).filter(
      ({ name }) => name !== 'monitors' || config.faults.monitors === undefined,
    ),
  })
  registerGauges({ metrics, storage, clock, timers })
  return {
    ...services,
    ...base,
    config,
    log,
    metrics,
    signer,
    limits: new RateLimits({ counter, clock, chat: config.chat, refused: (id) => refusals.note(id) }),
    health,
    timers,
    operations: new Operations({ services, ...base }),
    scheduler,
  }
}

function contentFolders({ chat }: Config, docsDir: string | undefined): readonly ContentFolder[] {
  const docs = docsDir === undefined ? [] : [{ dir: docsDir, base: '/docs' }]
  return chat.contentDir === undefined ? docs : [...docs, { dir: chat.contentDir, base: '' }]
}

/** The model that the settings name; none without a key, or when one of its settings is bad. */
function modelOf({ llm, faults }: Config): LanguageModel | undefined {
  const { apiKey } = llm
  return apiKey === undefined || faults.llm !== undefined
    ? undefined
    : new HttpLanguageModel({ ...llm, apiKey })
}

function modelProbeOf({ llm: { apiKey, baseUrl } }: Config): ModelProbe | undefined {
  return apiKey === undefined ? undefined : httpModelProbe({ apiKey, baseUrl })
}

/** Reads the system's certificates when the first call is made, not at every start. */
function lazyOutbound({ outbound: ranges }: Config, log: Log): Outbound {
  let made: Outbound | undefined
  return {
    request: (url, request) => {
      made ??= createOutbound({ resolver: systemResolver(), log, ...ranges })
      return made.request(url, request)
    },
    [Symbol.asyncDispose]: async () => made?.[Symbol.asyncDispose](),
  }
}

const MONITORS_MS = 15_000
/** Old rows may stay an hour longer. */
const RETENTION_SECONDS = 3600

/** What a tick does, in this order (wire-app §2). */
const tasksOf = ({ alerts, chat, jobs, monitors }: Services): readonly ScheduledTask[] => [
  {
    name: 'monitors',
    essential: true,
    budgetMs: MONITORS_MS,
    run: async (signal) => {
      const { ran, changed } = await monitors.runDue(signal)
      return { ran, changed }
    },
  },
  { name: 'alerts', run: async (signal) => ({ alerted: (await alerts.evaluate(signal)).opened }) },
  {
    name: 'alert-delivery',
    run: async (signal) => {
      await alerts.deliver(signal)
      return undefined
    },
  },
  { name: 'chat-purge', run: async (signal) => ({ purgedChats: await chat.purge(signal) }) },
  {
    name: 'jobs',
    run: async () => {
      await jobs.sweep()
      return undefined
    },
  },
  {
    name: 'retention',
    everySeconds: RETENTION_SECONDS,
    run: async () => {
      await alerts.purge()
      return undefined
    },
  },
]
