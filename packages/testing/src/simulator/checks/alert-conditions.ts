import type { Job } from '@svc/core'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Verdict } from '../verdict.ts'
import { type AlertFactsBook, conditionKey as keyOf, type LookedBack } from './alert-facts.ts'
import { isEnded } from './held.ts'

// The documented rules of alerts, implemented independently of the product.

const OFFLINE_MS = 140_000
const UNCONFIRMED = 'cancelled; the host did not confirm that the work stopped'
/** Kinds of alerts whose rule this check knows. */
const KNOWN = new Set<string>([
  'host_offline',
  'job_failed',
  'job_lost',
  'cancel_unconfirmed',
  'fingerprint_collision',
  'rate_limited_fleet',
  'scheduler_stalled',
])

/**
 * Two evaluations in a row open an alert. The others allow for one missed evaluation, and for one during
 * which the condition changed.
 */
export const SETTLED_TICKS = 4

/** Compares the conditions at the last ticks of a run with the alerts that are unresolved at its end. */
export class AlertConditionCheck {
  readonly #verdict: Verdict
  readonly #book: AlertFactsBook
  /** The conditions of the latest ticks. */
  readonly #ticks: (LookedBack & { readonly seen: ReadonlySet<string> })[] = []

  constructor(verdict: Verdict, book: AlertFactsBook) {
    this.#verdict = verdict
    this.#book = book
  }

  /** Records the conditions as a tick begins. */
  tick(tables: MemoryTables, now: Date): void {
    const seen = seenIn(tables, now)
    const { sure, possible } = this.#book.lookedBack(tables, now)
    this.#ticks.push({ seen, sure: new Set([...seen, ...sure]), possible: new Set([...seen, ...possible]) })
    if (this.#ticks.length > SETTLED_TICKS) this.#ticks.shift()
  }

  /** Checks the alerts at the end of a run, when the evaluations of the last tick are over. */
  end(tables: MemoryTables, now: Date): void {
    if (this.#ticks.length < SETTLED_TICKS) return
    const [first, ...others] = this.#ticks
    const seen = seenIn(tables, now)
    // The condition ended between the beginning of the last tick and its evaluation.
    const isOver = (key: string) => this.#ticks.at(-1)?.seen.has(key) === true && !seen.has(key)
    const open = tables.alerting.alerts.all().filter(({ resolvedAt }) => resolvedAt === undefined)
    const opened = new Set(open.map(({ licenseId, dedupKey }) => keyOf(licenseId, dedupKey)))
    for (const key of first?.sure ?? []) {
      const isAlerted = opened.has(key) || isOver(key) || !others.every(({ sure }) => sure.has(key))
      const detail = () => `${key} has been true for ${SETTLED_TICKS} ticks`
      this.#verdict.expect(isAlerted, 'a condition that holds has an alert', detail)
    }
    for (const { licenseId, dedupKey, kind, flapping } of open) {
      // A flapping alert stays open for half an hour.
      if (flapping || !KNOWN.has(kind)) continue
      const key = keyOf(licenseId, dedupKey)
      const isTrue = this.#ticks.some(({ possible }) => possible.has(key))
      const detail = () => `${key} is unresolved and has been false for ${SETTLED_TICKS} ticks`
      this.#verdict.expect(isTrue, 'an alert ends with its condition', detail)
    }
  }
}

/** Returns the keys of the conditions that hold at this moment. */
const seenIn = (tables: MemoryTables, now: Date): Set<string> =>
  new Set([...silentHosts(tables, now), ...failures(tables)])

function silentHosts({ agents }: MemoryTables, now: Date): string[] {
  return agents.all().flatMap(({ licenseId, fingerprint, lastHeartbeat, drainedAt }) => {
    const isSilent = lastHeartbeat !== undefined && now.getTime() - lastHeartbeat.getTime() > OFFLINE_MS
    return isSilent && drainedAt === undefined ? [keyOf(licenseId, `host_offline:${fingerprint}`)] : []
  })
}

/** Returns the condition of each lane (an app, or a kind on a target) whose last ended job has failed. */
function failures({ jobs }: MemoryTables): string[] {
  const latest = new Map<string, Job>()
  for (const { job } of jobs.all()) {
    if (!isEnded(job.state)) continue
    const lane = JSON.stringify([job.licenseId, laneOf(job)])
    const other = latest.get(lane)
    if (other === undefined || isAfter(job, other)) latest.set(lane, job)
  }
  return [...latest.values()].flatMap((job) => {
    const kind = failureOf(job)
    return kind === undefined ? [] : [keyOf(job.licenseId, `${kind}:${laneOf(job)}`)]
  })
}

const laneOf = ({ app, kind, target }: Job): string =>
  app === undefined ? `${kind}@${target}` : `app ${app}`

/**
 * Whether `job` ended after `other`. If both ended at the same instant, the one that succeeded counts as
 * later.
 */
function isAfter(job: Job, other: Job): boolean {
  const apart = (job.finishedAt?.getTime() ?? 0) - (other.finishedAt?.getTime() ?? 0)
  if (apart !== 0) return apart > 0
  if (job.state !== other.state) return job.state === 'succeeded'
  return job.id > other.id
}

function failureOf({ state, error, cancel, lost, maxAttempts }: Job): string | undefined {
  if (state !== 'failed') return undefined
  if (error === UNCONFIRMED) return 'cancel_unconfirmed'
  if (cancel !== undefined) return cancel.reason === 'timeout' ? 'job_failed' : undefined
  return lost >= maxAttempts ? 'job_lost' : 'job_failed'
}
