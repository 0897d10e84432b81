import type { Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import type { Timers } from '../kernel/timers.ts'
import { outsideOf } from '../outside/outside.ts'
import { Accounts } from '../people/accounts/accounts.ts'
import { Licenses } from '../people/licenses/licenses.ts'
import type { Base } from '../platform/base.ts'
import type { DnsClient } from '../platform/dns/dns-client.ts'
import { nodeDnsClient } from '../platform/dns/dns-client-node.ts'
import type { RateCounter } from '../platform/limits/rate-counter.ts'
import { MemoryRateCounter } from '../platform/limits/rate-counter-memory.ts'
import { RateLimits } from '../platform/limits/rate-limits.ts'
import type { Resolver } from '../platform/net/dns.ts'
import type { Outbound } from '../platform/net/outbound.ts'
import type { Passwords } from '../platform/passwords/passwords.ts'
import { Scheduler } from '../platform/scheduler/scheduler.ts'
import { SchedulerMetrics } from '../platform/scheduler/scheduler-metrics.ts'
import { tierNames } from '../reach/billing/billing-settings.ts'
import type { PaymentProvider } from '../reach/billing/payment-provider.ts'
import type { BrowserEngineMaker } from '../reach/browser/feature.ts'
import type { LanguageModel } from '../reach/chat/answer/language-model.ts'
import type { ContentPages } from '../reach/chat/documents/content-folder.ts'
import type { MailRelay } from '../reach/email/smtp/mail-relay.ts'
import { RefusalTally } from '../watch/alerts/rules/refusal-tally.ts'
import { registerGauges } from '../watch/health/gauges.ts'
import { Health } from '../watch/health/health.ts'
import type { ModelProbe } from '../watch/health/model-probe.ts'
import { baseOf } from './base.ts'
import { EVENT_TYPES, FEATURES, type Services } from './features.ts'
import { Operations } from './operations.ts'
import { outboundOf } from './outbound.ts'
import { settings } from './settings.ts'
import { tickTasks } from './tick-tasks.ts'

/** Parts of a control plane. All but settings and storage have a production default. */
export interface ControlPlaneParts extends Pick<Base, 'config' | 'storage'> {
  readonly clock?: Clock
  readonly ids?: Ids
  readonly log?: Log
  readonly rateCounter?: RateCounter
  /**
   * Set for a plane that runs operations and serves nobody. It signs nothing with a secret of its own, which
   * no other process would know.
   */
  readonly serves?: false
  /** The DNS client of monitors. */
  readonly dns?: DnsClient
  readonly timers?: Timers
  /**
   * Whether threads sign heartbeats. Default: only on more than two cores, since on two the database needs
   * the other. Without threads everything happens in the order of the event loop.
   */
  readonly threads?: boolean
  /** Hashes of passwords: 0.4 s of a core each. */
  readonly passwords?: Passwords
  /** The mail relay, instead of the one that the settings name. */
  readonly mailRelay?: MailRelay
  /** The payment provider, instead of the one that the settings name. */
  readonly paymentProvider?: PaymentProvider
  /** The client for calls to addresses that others chose. */
  readonly outbound?: Outbound
  /** The client for calls to hosting providers. */
  readonly providerOutbound?: Outbound
  /** The documentation's folder of Markdown, the source of the chat's answers, with links under `/docs`. */
  readonly docsDir?: string | undefined
  /**
   * Files and folders of `docsDir` that are for visitors, with their weights; absent: every file, with equal
   * weight.
   */
  readonly docsPages?: ContentPages | undefined
  /** The language model of the chat, instead of the one that the settings name. */
  readonly languageModel?: LanguageModel
  /** The browser of the browser worker; absent: no page can be opened. The caller disposes of the worker. */
  readonly browserEngine?: BrowserEngineMaker
  /** Finds the addresses of pages, instead of the servers of the system. */
  readonly resolver?: Resolver
  /** The language model of the browser's agent, instead of the one that the settings name. */
  readonly agentModel?: LanguageModel
  /** The system check's probe of that model. */
  readonly modelProbe?: ModelProbe
}

/**
 * The services of one control plane, ready to be called in process, mounted on HTTP or run by the command
 * line.
 */
export interface ControlPlane
  extends Services,
    Pick<Base, 'config' | 'storage' | 'clock' | 'ids' | 'log' | 'metrics' | 'signer' | 'timers'> {
  readonly accounts: Accounts
  readonly limits: RateLimits
  readonly health: Health
  readonly operations: Operations
  readonly scheduler: Scheduler
}

/**
 * Wires a control plane: services are made here and in `wiring/` only. The caller keeps the storage and
 * disposes of it.
 */
export function createControlPlane(parts: ControlPlaneParts): ControlPlane {
  const base = baseOf(parts)
  const { config, storage, clock, timers, metrics, signer, log, ids } = base
  const { dns = nodeDnsClient() } = parts
  const licenses = new Licenses({ ...base, licensing: config.licensing, tiers: tierNames(config) })
  const health = new Health({ ...base, licenses, faults: config.faults })
  const refusals = new RefusalTally({ store: storage.alertFacts, clock, log })
  const refused = (licenseId: string) => refusals.note(licenseId)
  const limits = new RateLimits({ counter: counterOf(base, parts), clock, refused })
  const { outbound = outboundOf(base) } = parts
  const outside = outsideOf(base, dns, parts)
  const beside = {
    parts,
    dns,
    outside,
    health,
    licenses,
    limits,
    refusals,
    outbound,
    settings,
    eventTypes: EVENT_TYPES,
    scheduler: () => scheduler,
  }
  const services = FEATURES.services(base, beside)
  const tasks = tickTasks(services, config)
  const scheduler: Scheduler = new Scheduler({ ...base, metrics: new SchedulerMetrics(metrics), tasks })
  const accounts = new Accounts({ ...base, ...services })
  const operations = new Operations({ ...base, services, accounts, limits })
  registerGauges({ metrics, storage, clock, timers })
  const tools = { config, storage, clock, ids, log, timers, metrics, signer }
  return { ...services, ...tools, accounts, limits, health, operations, scheduler }
}

function counterOf({ config, storage, clock }: Base, parts: ControlPlaneParts): RateCounter {
  const shared = config.limits.backend === 'postgres' ? storage.rates : undefined
  return parts.rateCounter ?? shared ?? new MemoryRateCounter(clock)
}
