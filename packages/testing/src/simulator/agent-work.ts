import type { AgentHabits, RememberedJob } from './agent.ts'
import type { SimulatedHost } from './host.ts'
import type { WireAnswer } from './wire.ts'

const GIVE_BACK_SHARE = 0.06
const GIVE_BACK_CANCELLED_SHARE = 0.3
const FAIL_SHARE = 0.15
const SLOW_SHARE = 0.2
const HASTY_SHARE = 0.2
const LARGE_SHARE = 0.004
const STEPS_MOST = 3
const LINES_MOST = 4
const RETRY_MS = 3000
const REFUSED_MS = 8000

/** More lines than a request may store. One line in `LONG_LINE_EVERY` is longer than a line may be. */
const LARGE_LINES = 1003
const LONG_LINE_EVERY = 50
const LONG_LINE_CHARS = 9000

/**
 * An agent's work on one job: reports that it runs, does the steps, sends their output and reports the end.
 */
export class WorkRun {
  readonly #host: SimulatedHost
  readonly #habits: AgentHabits
  readonly #job: RememberedJob
  readonly #isCancelled: () => boolean
  /** Whether a 404 or the state of the job said that the job is no longer ours. */
  #isOver = false
  #isToStop = false
  #offset = 0

  constructor(host: SimulatedHost, habits: AgentHabits, job: RememberedJob, isCancelled: () => boolean) {
    this.#host = host
    this.#habits = habits
    this.#job = job
    this.#isCancelled = isCancelled
  }

  /** Works until the job has ended or is no longer ours. */
  async run(): Promise<void> {
    const { random } = this.#host
    if (random.chance(GIVE_BACK_SHARE)) return this.#report('pending')
    await this.#report('running')
    const steps = random.between(1, STEPS_MOST)
    for (let step = 0; step < steps && !this.#isOver; step += 1) {
      await this.#host.sleep(this.#stepMs())
      if (this.#isToStop || this.#isCancelled()) return this.#stopped()
      await this.#send(random.chance(LARGE_SHARE) ? LARGE_LINES : random.between(0, LINES_MOST))
      if (!this.#isOver) await this.#report('running')
    }
    if (this.#isOver) return
    const isFailed = random.chance(FAIL_SHARE)
    await this.#report(isFailed ? 'failed' : 'succeeded', isFailed ? 'the step failed' : undefined)
  }

  /** Ends a job that was asked to stop: reports that it stopped, or sometimes gives the job back. */
  #stopped(): Promise<void> {
    if (this.#host.random.chance(GIVE_BACK_CANCELLED_SHARE)) return this.#report('pending')
    return this.#report('failed', 'stopped as asked')
  }

  #stepMs(): number {
    const { random } = this.#host
    const { stepSeconds, leaseSeconds, slowSteps } = this.#habits
    const isSlow = slowSteps() && random.chance(SLOW_SHARE)
    return 1000 * random.fraction() * (isSlow ? 2.5 * leaseSeconds : stepSeconds)
  }

  async #report(state: string, error?: string): Promise<void> {
    const { fingerprint } = this.#host
    const attempt = this.#habits.sloppy ? {} : { attempt: this.#job.attempt }
    const body = { fingerprint, state, ...attempt, ...(error === undefined ? {} : { error, exit_code: 1 }) }
    await this.#answered('status', body)
  }

  /** Sends the next lines until the service has them; with an offset, a repeat stores nothing twice. */
  async #send(count: number): Promise<void> {
    const { sloppy } = this.#habits
    const first = this.#offset
    this.#offset = first + count
    if (count > 1 && !sloppy && this.#host.random.chance(HASTY_SHARE)) this.#sendAhead(first + 1, count - 1)
    for (let sent = 0; sent < count && !this.#isOver; ) {
      const answer = await this.#answered('logs', this.#placed(first + sent, count - sent), this.#key())
      if (answer === undefined) return
      sent = sloppy ? count : Number(answer.headers['Svc-Log-Next']) - first
    }
  }

  /**
   * Sends lines without waiting for the lines before them, which may arrive later: these lines then leave a
   * gap.
   */
  #sendAhead(offset: number, count: number): void {
    void this.#host.request(`/v1/jobs/${this.#job.id}/logs`, this.#placed(offset, count), this.#key())
  }

  #key(): string | undefined {
    return this.#habits.sloppy && !this.#habits.keyed ? undefined : String(this.#host.random.next())
  }

  #placed(offset: number, count: number): Readonly<Record<string, unknown>> {
    const lines = this.#lines(offset, count)
    const { fingerprint } = this.#host
    return this.#habits.sloppy ? { lines } : { lines, fingerprint, attempt: this.#job.attempt, offset }
  }

  #lines(offset: number, count: number): { ts: number; line: string }[] {
    const ts = this.#host.now().getTime() / 1000
    return Array.from({ length: count }, (_, index) => {
      const place = offset + index
      const text = `${this.#job.id} ${this.#job.attempt} ${place}`
      return {
        ts,
        line: place % LONG_LINE_EVERY === LONG_LINE_EVERY - 1 ? text.padEnd(LONG_LINE_CHARS, '.') : text,
      }
    })
  }

  /**
   * Repeats a request until a final answer comes; undefined when the job is no longer ours or the request is
   * invalid.
   */
  async #answered(
    verb: string,
    body: Readonly<Record<string, unknown>>,
    key?: string,
  ): Promise<WireAnswer | undefined> {
    for (;;) {
      const answer = await this.#host.request(`/v1/jobs/${this.#job.id}/${verb}`, body, key)
      const told = answer?.headers['Svc-Job-State']
      if (told === 'canceling') this.#isToStop = true
      if (told === 'succeeded' || told === 'failed' || answer?.status === 404) this.#isOver = true
      if (answer?.status === 200) return answer
      if (this.#isOver || answer?.status === 400) return undefined
      const wait = Number(answer?.headers['Retry-After'] ?? 0) * 1000
      await this.#host.sleep(Math.max(wait, answer?.status === 401 ? REFUSED_MS : RETRY_MS))
    }
  }
}
