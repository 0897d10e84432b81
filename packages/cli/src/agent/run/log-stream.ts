import type { Clock, Log } from '@svc/core'
import { pause } from '../pause.ts'
import type { LogSpool } from '../state/log-spool.ts'
import { type AgentApi, isPassing } from '../wire/agent-api.ts'
import type { Answer } from '../wire/http-exchange.ts'
import type { ClaimedJob } from './claimed-job.ts'

/** What a log stream works with. */
export interface LogStreamParts {
  readonly api: AgentApi
  readonly job: ClaimedJob
  readonly spool: LogSpool
  readonly clock: Clock
  readonly log: Log
  /** How often lines are sent, in milliseconds. */
  readonly intervalMs: number
  /** Told of every answer: it may say that the job was cancelled or is no longer ours. */
  readonly hear: (answer: Answer) => void
}

/** Far under the plane's 24 MiB and under the 1 MB that reverse proxies allow by default. */
const MAX_BATCH_BYTES = 512 * 1024

/**
 * Sends a job's lines in order, each with its place in the attempt's stream. After a broken connection the
 * same place is sent again and the plane says where it stands (`Svc-Log-Next`), so no line is lost and none
 * doubled (wire-agent §4).
 */
export class LogStream {
  readonly #parts: LogStreamParts
  readonly #closing = new AbortController()
  readonly #life: AbortSignal
  #wake = new AbortController()
  #next: number
  #maxBytes = MAX_BATCH_BYTES
  #refused = false
  #failures = 0
  /** By the process's clock, in milliseconds: nothing is sent before. */
  #askedUntil = 0
  #loop: Promise<void> = Promise.resolve()

  /** `life` ends every exchange. */
  constructor(parts: LogStreamParts, life: AbortSignal) {
    this.#parts = parts
    this.#life = life
    this.#next = parts.job.log.nextOffset
  }

  /** Whether lines wait that could still be sent. */
  get pending(): boolean {
    const { spool, job } = this.#parts
    return !this.#refused && this.#next < job.log.nextOffset + spool.count
  }

  /** Begins to send. */
  start(): void {
    this.#loop = this.#run()
  }

  /** Adds a line. */
  push(line: string): void {
    const { spool, clock, job } = this.#parts
    spool.append({ ts: clock.now().getTime() / 1000, line })
    if (spool.count - (this.#next - job.log.nextOffset) >= job.log.maxLines) this.#wake.abort()
  }

  /** Ends the pace: what is under way is finished, the rest waits for `flush`. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#loop
  }

  /** Sends all that waits; gives up at `signal`. */
  async flush(signal: AbortSignal): Promise<void> {
    const { api, job, spool, hear } = this.#parts
    const over = AbortSignal.any([signal, this.#life])
    while (this.pending && !over.aborted) {
      const askedMs = this.#askedUntil - performance.now()
      if (askedMs > 0) {
        await pause(askedMs, over)
        continue
      }
      const from = this.#next - job.log.nextOffset
      const batch = spool.read(from, job.log.maxLines, this.#maxBytes)
      const answer = await api.logs(job, this.#next, batch, this.#life)
      hear(answer)
      if (this.#advance(answer, batch.length)) this.#failures = 0
      else if (!this.#refused) {
        const waitMs = api.retryMs(answer, this.#failures++)
        // The end of the job ends the pace, not what the plane has asked for.
        if (answer.header('retry-after') !== undefined) this.#askedUntil = performance.now() + waitMs
        await pause(waitMs, over)
      }
    }
  }

  async #run(): Promise<void> {
    const closing = this.#closing.signal
    while (!closing.aborted) {
      this.#wake = new AbortController()
      await pause(this.#parts.intervalMs, AbortSignal.any([closing, this.#wake.signal]))
      if (!closing.aborted) await this.flush(closing)
    }
  }

  /** Takes the plane's word on where to go on; says whether that is progress. */
  #advance(answer: Answer, sent: number): boolean {
    if (answer.status === 413 && sent > 1) {
      this.#maxBytes = Math.max(1, Math.floor(this.#maxBytes / 2))
      return true
    }
    if (answer.status !== 200) {
      this.#refused = !isPassing(answer)
      if (this.#refused)
        this.#parts.log.warn({ job: this.#parts.job.id, status: answer.status }, 'log lines were refused')
      return false
    }
    const { accepted } = (answer.body ?? {}) as { accepted?: unknown }
    const told = Number(answer.header('svc-log-next') ?? Number.NaN)
    const next = Number.isSafeInteger(told)
      ? told
      : this.#next + (typeof accepted === 'number' ? accepted : sent)
    const first = this.#parts.job.log.nextOffset
    const moved = next !== this.#next
    this.#next = Math.min(Math.max(next, first), first + this.#parts.spool.count)
    return moved
  }
}
