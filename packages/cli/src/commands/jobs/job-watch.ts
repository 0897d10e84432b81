import { setTimeout as pause } from 'node:timers/promises'
import type { JobView, StoredLine, WaitReason } from '@svc/core'
import { Problem } from '@svc/core/client'
import type { Connection } from '../../connect/connect.ts'

/** A watch on a job, and the callbacks that are told of its progress. */
export interface Watch {
  readonly connection: Connection
  readonly jobId: string
  /** Ends the watch, not the job. */
  readonly signal: AbortSignal
  /** Each stored line, in order; absent when only the end matters. */
  readonly onLine?: (line: StoredLine) => void
  /**
   * Receives events other than lines, in words: a wait and its reason, a lost connection, another attempt.
   */
  readonly onNote: (note: string) => void
}

interface LogsAnswer {
  readonly logs: readonly StoredLine[]
  readonly next: number
  readonly state: string
  /** Whether more lines may be there already. */
  readonly more: boolean
  readonly done: boolean
}

const LOOK_MS = 250
/** Lines that are asked for at once; long lines fill an answer earlier. */
const PAGE_LINES = 2_000
/** A job that waits longer than this gets a note on the reason. */
const QUIET_MS = 2_000
/** Hosts look for work every few seconds: before this time it is no news that they have not yet. */
const PATIENT_MS = 15_000
const PATIENT_CODES: readonly WaitReason['code'][] = ['next', 'no-claim-lately']
const WHY_EVERY_MS = 5_000
/** A server that restarts is back within this time. */
const PATIENCE_MS = 60_000

/** Reads a job's log until the job ends. Returns undefined when the watch was ended first. */
export async function watchJob(watch: Watch): Promise<JobView | undefined> {
  const waits = new WaitNotes(watch)
  let after = 0
  let attempt = 1
  while (!watch.signal.aborted) {
    const input = { job: watch.jobId, after, limit: PAGE_LINES }
    const answer = await patiently<LogsAnswer>(watch, 'jobs.logs', input)
    if (answer === undefined) return undefined
    for (const line of answer.logs) {
      if (line.attempt > 1 && line.attempt !== attempt) watch.onNote(`attempt ${line.attempt} begins`)
      attempt = line.attempt
      watch.onLine?.(line)
    }
    after = answer.next
    if (answer.done) return (await patiently<{ job: JobView }>(watch, 'jobs.show', { job: watch.jobId }))?.job
    await waits.look(answer.state)
    if (!answer.more) await rest(LOOK_MS, watch.signal)
  }
  return undefined
}

/** Says why a job waits, each reason once. */
class WaitNotes {
  readonly #watch: Watch
  #since = performance.now()
  #lookedAt = Number.NEGATIVE_INFINITY
  #said = ''

  constructor(watch: Watch) {
    this.#watch = watch
  }

  async look(state: string): Promise<void> {
    const at = performance.now()
    if (state !== 'pending') this.#since = at
    if (at - this.#since < QUIET_MS || at - this.#lookedAt < WHY_EVERY_MS) return
    this.#lookedAt = at
    const { jobId } = this.#watch
    const answer = await patiently<{ reasons: readonly WaitReason[] }>(this.#watch, 'jobs.why', {
      job: jobId,
    })
    const isEarly = at - this.#since < PATIENT_MS
    const reasons = (answer?.reasons ?? []).filter(({ code }) => !isEarly || !PATIENT_CODES.includes(code))
    const text = reasons.map((reason) => reason.text).join('; ')
    if (text !== '' && text !== this.#said) this.#watch.onNote(`waiting: ${jobId} ${text}`)
    this.#said = text
  }
}

/** Runs an operation; waits for a control plane that is away for a moment. */
async function patiently<A>(watch: Watch, name: string, input: Readonly<Record<string, unknown>>) {
  const until = performance.now() + PATIENCE_MS
  let told = false
  while (!watch.signal.aborted) {
    try {
      return (await watch.connection.run(name, input)) as A
    } catch (error) {
      const isAway = error instanceof Problem && error.code === 'unavailable'
      if (!isAway || performance.now() > until) throw error
      if (!told) watch.onNote('the control plane does not answer; waiting for it')
      told = true
      await rest(LOOK_MS, watch.signal)
    }
  }
  return undefined
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {})
}
