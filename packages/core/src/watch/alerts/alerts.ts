import { Problem } from '../../kernel/problem.ts'
import { PLATFORM, type Scope } from '../../kernel/scope.ts'
import type { Base } from '../../platform/base.ts'
import { purgeDeliveries } from '../../platform/deliveries/retention.ts'
import type { Monitors } from '../monitors/monitors.ts'
import type { Alert } from './alert.ts'
import { type ActInput, actOn } from './alert-act.ts'
import { withTenants, writesOf } from './alert-evaluation.ts'
import { type AlertPage, type AlertQuery, listAlerts } from './alert-list.ts'
import type { AlertMetrics } from './alert-metrics.ts'
import { ALERT_CHANNELS } from './channels/alert-deliveries-store.ts'
import type { AlertNotifier } from './channels/alert-notifier.ts'
import type { AlertFacts } from './rules/alert-facts.ts'
import { conditionsOf } from './rules/alert-rules.ts'
import type { AlertThresholds } from './rules/alert-thresholds.ts'
import type { RefusalTally } from './rules/refusal-tally.ts'

/** Dependencies of `Alerts`. */
export interface AlertsParts extends Pick<Base, 'storage' | 'clock' | 'ids'> {
  readonly monitors: Monitors
  readonly thresholds: AlertThresholds
  readonly refusals: RefusalTally
  readonly notifier: AlertNotifier
  readonly metrics: AlertMetrics
}

/** Most findings of scans that have alerts at the same time. */
const MOST_EXPOSURES = 1000

/** Most apps of a license that have alerts at the same time. */
const MOST_APPS = 100

/** Result of an evaluation. */
export interface Evaluation {
  /** Alerts that were opened or reopened. */
  readonly opened: number
  /** How many of the opened alerts are about a confirmed drift. */
  readonly drifts: number
  readonly resolved: number
}

/** Alerts about the fleet, and people's actions on them (docs/alerts.md). */
export class Alerts {
  readonly #parts: AlertsParts

  constructor(parts: AlertsParts) {
    this.#parts = parts
  }

  /**
   * Runs all alert rules once and updates the alerts. Overlapping evaluations, on one replica or several,
   * count as one. `signal` ends it between two alerts; the rest waits for the next tick.
   */
  async evaluate(signal?: AbortSignal): Promise<Evaluation> {
    const { storage, clock, ids, thresholds, refusals, metrics } = this.#parts
    await refusals.flush()
    const { at, watches } = await storage.alerts.watches(undefined, clock.statementTime())
    const facts = await this.#gather(at)
    const conditions = withTenants(conditionsOf(facts, thresholds, at), facts.licenses)
    const done = { opened: 0, drifts: 0, resolved: 0 }
    for (const move of writesOf(watches, conditions, at, ids)) {
      if (signal?.aborted) break
      const moved = await storage.alerts.move(move, at, clock.statementTime())
      if (moved?.alert === undefined) continue
      if (move.step.alert === 'resolve') done.resolved += 1
      if (move.step.alert !== 'open' && move.step.alert !== 'reopen') continue
      const { kind } = moved.alert
      metrics.opened(kind)
      done.opened += 1
      if (kind === 'monitor_drift') done.drifts += 1
    }
    return done
  }

  /** Delivers the notices of evaluations. Returns the number of delivered digests. */
  deliver(signal?: AbortSignal): Promise<number> {
    return this.#parts.notifier.deliver(signal)
  }

  /** Deletes alerts and deliveries past their retention. Returns the number of deleted alerts. */
  async purge(): Promise<number> {
    const { storage, clock, thresholds } = this.#parts
    const { retentionDays: keepDays } = thresholds
    for (const kind of ALERT_CHANNELS) await purgeDeliveries(this.#parts, kind, keepDays)
    return storage.alerts.purge(keepDays, clock.statementTime())
  }

  /**
   * Lists the alerts of a scope, unresolved ones first, then newest first.
   * @throws Problem `invalid-input` for an invalid cursor
   */
  list(scope: Scope, query: AlertQuery): Promise<AlertPage> {
    return listAlerts(this.#parts, scope, query)
  }

  /**
   * Performs an action on alerts and returns them. Repeating it changes nothing.
   * @throws Problem `not-found` if one is unknown in the scope (then none is changed), `ambiguous`,
   * `invalid-input`
   */
  act(scope: Scope, input: ActInput): Promise<readonly Alert[]> {
    return actOn(this.#parts, scope, input)
  }

  /** Returns an alert of a scope by its id. */
  async get(scope: Scope, id: string): Promise<Alert | undefined> {
    return (await this.#parts.storage.alerts.byIds(scope, [id]))[0]
  }

  /** Returns the instant that statuses are computed for. */
  now(): Date {
    return this.#parts.clock.now()
  }

  /** Returns the deliveries of an alert and the actions of people on it. */
  async story(alertId: string) {
    const { alerts, alertDeliveries } = this.#parts.storage
    const [deliveries, actions] = await Promise.all([
      alertDeliveries.reports(alertId),
      alerts.actions(alertId),
    ])
    return { deliveries, actions }
  }

  async #gather(at: Date): Promise<AlertFacts> {
    const { storage, clock, monitors, thresholds } = this.#parts
    const { alertFacts } = storage
    const now = clock.statementTime()
    const [
      hosts,
      licenses,
      clones,
      failures,
      refusals,
      gap,
      troubles,
      watched,
      deadEndpoints,
      paymentEvents,
      orders,
      credentials,
      exposures,
      standings,
      apps,
      appDrifts,
    ] = await Promise.all([
      storage.agents.list(PLATFORM),
      storage.licenses.list(PLATFORM),
      alertFacts.clones(now),
      alertFacts.failures(thresholds.jobHours * 3600, now),
      alertFacts.refusals(now),
      alertFacts.evaluated(thresholds.stallSeconds, now),
      monitors.troubles(),
      monitors.list(PLATFORM),
      storage.webhooks.dead(),
      storage.paymentEvents.troubles(PAYMENT_NEWS_HOURS, now),
      storage.provisioning.live(),
      storage.provisioning.credentials(),
      storage.surfaceScans.findings(PLATFORM, { status: 'open', severity: 'high', limit: MOST_EXPOSURES }),
      storage.nodeSecurity.standings(),
      storage.observedApps.troubles(MOST_APPS),
      storage.observedApps.drifts(MOST_APPS),
    ])
    const due = watched
      .filter(({ pausedAt }) => pausedAt === undefined)
      .map(({ nextRunAt }) => nextRunAt.getTime())
    const overdueMs = at.getTime() - Math.min(at.getTime(), ...due)
    const monitorsOverdueSeconds = overdueMs / 1000
    return {
      hosts,
      licenses,
      clones,
      failures,
      refusals,
      gap,
      troubles,
      monitorsOverdueSeconds,
      deadEndpoints,
      paymentEvents,
      orders,
      credentials,
      exposures,
      standings,
      apps,
      appDrifts,
    }
  }
}

/** An event of the other mode is news for so long. */
const PAYMENT_NEWS_HOURS = 24

/** Returns the refusal of an alert that does not exist, for any caller. */
export const noAlert = (id: string): Problem =>
  new Problem('not-found', { detail: `there is no alert ${id}: svc alerts list shows them` })
