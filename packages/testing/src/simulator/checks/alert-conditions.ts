import type { Job } from '@svc/core'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Verdict } from '../verdict.ts'
import { type AlertFactsBook, conditionKey as keyOf, type LookedBack } from './alert-facts.ts'
import { isEnded } from './held.ts'

// The rules of alerts as the documents put them, written down anew.

const OFFLINE_MS = 140_000
const UNCONFIRMED = 'cancelled; the host did not confirm that the work stopped'
/** Kinds of which the check knows the rule. */
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
 * Two evaluations in a row open an alert; the rest is for one that was missed and one that met a change half
 * way.
 */
export const SETTLED_TICKS = 4

/** What is wrong at the ticks of the end of a run, held against the alerts that are there then. */
export class AlertConditionCheck {
  readonly #verdict: Verdict
  readonly #book: AlertFactsBook
  /** The conditions of the latest ticks. */
  readonly #ticks: (LookedBack & { readonly seen: ReadonlySet<string> })[] = []

  constructor(verdict: Verdict, book: AlertFactsBook) {
    this.#verdict = verdict
    this.#book = book
  }

  /** A tick begins. */
  tick(tables: MemoryTables, now: Date): void {
    const seen = seenIn(tables, now)
    const { sure, possible } = this.#book.lookedBack(tables, now)
    this.#ticks.push({ seen, sure: new Set([...seen, ...sure]), possible: new Set([...seen, ...possible]) })
    if (this.#ticks.length > SETTLED_TICKS) this.#ticks.shift()
  }

  /** At the end of a run, when the evaluations of the last tick are over. */
  end(tables: MemoryTables, now: Date): void {
    if (this.#ticks.length < SETTLED_TICKS) return
    const [first, ...others] = this.#ticks
    const seen = seenIn(tables, now)
    // Over between the beginning of the last tick and its evaluation.
    const isOver = (key: string) => this.#ticks.at(-1)?.seen.has(key) === true && !seen.has(key)
    const open = tables.alerting.alerts.all().filter(({ resolvedAt }) => resolvedAt === undefined)
    const opened = new Set(open.map(({ licenseId, dedupKey }) => keyOf(licenseId, dedupKey)))
    for (const key of first?.sure ?? []) {
      const isAlerted = opened.has(key) || isOver(key) || !others.every(({ sure }) => sure.has(key))
      const detail = () => `${key} has been true for ${SETTLED_TICKS} ticks`
      this.#verdict.expect(isAlerted, 'a condition that holds has an alert', detail)
    }
    for (const { licenseId, dedupKey, kind, flapping } of open) {
      // One that comes and goes is held open for half an hour.
      if (flapping || !KNOWN.has(kind)) continue
      const key = keyOf(licenseId, dedupKey)
      const isTrue = this.#ticks.some(({ possible }) => possible.has(key))
      const detail = () => `${key} is unresolved and has been false for ${SETTLED_TICKS} ticks`
      this.#verdict.expect(isTrue, 'an alert ends with its condition', detail)
    }
  }
}

/** What is wrong at this moment. */
const seenIn = (tables: MemoryTables, now: Date): Set<string> =>
  new Set([...silentHosts(tables, now), ...failures(tables)])

function silentHosts({ agents }: MemoryTables, now: Date): string[] {
  return agents.all().flatMap(({ licenseId, fingerprint, lastHeartbeat, drainedAt }) => {
    const isSilent = lastHeartbeat !== undefined && now.getTime() - lastHeartbeat.getTime() > OFFLINE_MS
    return isSilent && drainedAt === undefined ? [keyOf(licenseId, `host_offline:${fingerprint}`)] : []
  })
}

/** What jobs are about, where the last that ended about it has failed. */
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

/** Of two that ended at once the one that went well counts. */
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
