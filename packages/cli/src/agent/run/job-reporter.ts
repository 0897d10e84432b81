import type { Answer } from '../../connect/http-client.ts'
import { pause } from '../pause.ts'
import { LogSpool } from '../state/log-spool.ts'
import { isPassing, type StatusReport } from '../wire/agent-api.ts'
import type { JobParts } from './job-run.ts'
import { LogStream } from './log-stream.ts'
import type { WorkFolder } from './work-folder.ts'

/**
 * `heard`: the plane received the report. `gone`: the plane refuses reports on this job. `unheard`: the plane
 * could not be reached in time.
 */
export type Hearing = 'heard' | 'gone' | 'unheard'

/**
 * How long a log that cannot be sent holds back the outcome; the rest follows it, which the plane takes for
 * 600 s.
 */
const LOG_FIRST_MS = 60_000

/** Everything that the plane hears about one job: its start, its output, its end. */
export class JobReporter {
  readonly #parts: JobParts
  readonly #folder: WorkFolder
  readonly #hear: (answer: Answer) => void
  readonly #life: AbortSignal
  readonly #renewing = new AbortController()
  readonly #spool: LogSpool
  readonly #stream: LogStream
  #renewal: Promise<void> = Promise.resolve()

  /** `hear` receives every answer; `life` aborts every exchange. */
  constructor(parts: JobParts, folder: WorkFolder, hear: (answer: Answer) => void, life: AbortSignal) {
    const { api, clock, log, timing } = parts
    const { job } = folder
    this.#parts = parts
    this.#folder = folder
    this.#hear = hear
    this.#life = life
    this.#spool = new LogSpool(folder.spoolFile)
    const intervalMs = timing.logIntervalMs ?? job.log.intervalSeconds * 1000
    this.#stream = new LogStream({ api, job, spool: this.#spool, clock, log, intervalMs, hear }, life)
  }

  /**
   * Reports `running` until the plane has heard it, at most for the length of a lease. A refusal counts as
   * gone.
   */
  async announce(): Promise<Hearing> {
    const lease = AbortSignal.timeout(Math.min(this.#folder.job.leaseSeconds * 1000, 2 ** 31 - 1))
    const answer = await this.#report({ state: 'running' }, AbortSignal.any([this.#life, lease]))
    if (answer.status === 200) return 'heard'
    return isPassing(answer) ? 'unheard' : 'gone'
  }

  /** Begins to renew the lease and to send lines. */
  start(): void {
    this.#stream.start()
    this.#renewal = this.#renew()
  }

  /** Adds a line of output. */
  push(line: string, from?: string): void {
    this.#stream.push(line, from)
  }

  /** Shows a state of a line that overwrites itself. */
  show(state: string, from: string): void {
    this.#stream.show(state, from)
  }

  /** Sends the last lines, then the outcome. The lease is renewed until then. */
  async conclude(outcome: StatusReport): Promise<Hearing> {
    await this.#stream.close()
    await this.#stream.flush(AbortSignal.timeout(LOG_FIRST_MS))
    await this.#stopRenewing()
    const answer = await this.#report(outcome, this.#life)
    if (answer.status === 404) return 'gone'
    if (isPassing(answer)) return 'unheard'
    if (answer.status !== 200) {
      this.#parts.log.error(
        { job: this.#folder.job.id, status: answer.status },
        'the outcome of a job was refused',
      )
    }
    await this.#stream.flush(AbortSignal.timeout(LOG_FIRST_MS))
    return 'heard'
  }

  /** Stops reporting. */
  async quit(): Promise<void> {
    await this.#stopRenewing()
    await this.#stream.close()
  }

  /** Closes the spool; call it last. */
  dispose(): void {
    this.#renewing.abort()
    this.#spool.close()
  }

  async #renew(): Promise<void> {
    const stopped = AbortSignal.any([this.#life, this.#renewing.signal])
    while (await pause(this.#parts.timing.renewMs, stopped)) await this.#report({ state: 'running' }, stopped)
  }

  async #stopRenewing(): Promise<void> {
    this.#renewing.abort()
    await this.#renewal
  }

  async #report(report: StatusReport, signal: AbortSignal): Promise<Answer> {
    const { api, log } = this.#parts
    const { job } = this.#folder
    const answer = await api.insist((within) => api.status(job, report, within), {
      signal,
      onRetry: ({ status, fault }) =>
        log.warn({ job: job.id, status, fault }, 'a report was not answered, trying again'),
    })
    this.#hear(answer)
    return answer
  }
}
