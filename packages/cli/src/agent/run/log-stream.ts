import type { Clock, Log } from '@svc/core'
import type { Answer } from '../../connect/http-client.ts'
import { pause } from '../pause.ts'
import type { LogSpool } from '../state/log-spool.ts'
import { type AgentApi, isPassing } from '../wire/agent-api.ts'
import type { ClaimedJob } from './claimed-job.ts'

/** Parts that a log stream works with. */
export interface LogStreamParts {
  readonly api: AgentApi
  readonly job: ClaimedJob
  readonly spool: LogSpool
  readonly clock: Clock
  readonly log: Log
  /** How often the lines of a job that goes on printing are sent, in milliseconds. */
  readonly intervalMs: number
  /** Receives every answer: it may say that the job was cancelled or is no longer ours. */
  readonly hear: (answer: Answer) => void
}

/** Far below the plane's 24 MiB and below the 1 MB that reverse proxies allow by default. */
const MAX_BATCH_BYTES = 512 * 1024

/**
 * How long the first line after a silence waits for others. The wait doubles from one request to the next, up
 * to the interval, until the job is silent for an interval: somebody who looks on sees a line at once, and a
 * job that prints without pause sends few requests.
 */
const GATHER_MS = 50

/**
 * Sends a job's lines in order, each with its offset in the attempt's stream. After a broken connection the
 * same offset is sent again and the plane answers with the offset it expects (`Svc-Log-Next`), so no line is
 * lost or doubled (docs/agents.md).
 */
export class LogStream {
  readonly #parts: LogStreamParts
  readonly #closing = new AbortController()
  readonly #life: AbortSignal
  /** The newest state of the line under way of each output that overwrites itself. */
  readonly #states = new Map<string, { readonly text: string; isKept: boolean }>()
  #wake = new AbortController()
  /** Something to send came, or the end. */
  #news = Promise.withResolvers<void>()
  #next: number
  #maxBytes = MAX_BATCH_BYTES
  #refused = false
  #failures = 0
  /**
   * Nothing is sent before this time of the process's clock, in milliseconds, because the plane asked for a
   * wait.
   */
  #askedUntil = 0
  #loop: Promise<void> = Promise.resolve()

  /** `life` aborts every exchange. */
  constructor(parts: LogStreamParts, life: AbortSignal) {
    this.#parts = parts
    this.#life = life
    this.#next = parts.job.log.nextOffset
  }

  /** Whether unsent lines wait that the plane has not refused. */
  get pending(): boolean {
    const { spool, job } = this.#parts
    return !this.#refused && this.#next < job.log.nextOffset + spool.count
  }

  /** Begins to send lines as they come. */
  start(): void {
    if (this.pending) this.#news.resolve()
    this.#loop = this.#run()
  }

  /** Adds a line. `from`: the output that it ends a line of; its last state may stand in the log already. */
  push(line: string, from?: string): void {
    const state = from === undefined ? undefined : this.#states.get(from)
    if (from !== undefined) this.#states.delete(from)
    if (!(state?.isKept && state.text === line)) this.#append(line)
  }

  /**
   * Shows a state of a line that overwrites itself: the newest of each interval becomes a line of the log, or
   * a progress bar would fill it.
   */
  show(text: string, from: string): void {
    if (this.#states.get(from)?.text === text) return
    this.#states.set(from, { text, isKept: false })
    this.#news.resolve()
  }

  #append(line: string): void {
    const { spool, clock, job } = this.#parts
    spool.append({ ts: clock.now().getTime() / 1000, line })
    this.#news.resolve()
    if (spool.count - (this.#next - job.log.nextOffset) >= job.log.maxLines) this.#wake.abort()
  }

  /** Ends the sending as lines come: the batch under way is finished, the other lines wait for `flush`. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#news.resolve()
    await this.#loop
  }

  /** Sends all waiting lines; gives up when `signal` aborts. */
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
        // A wait that the plane asked for holds even when the job has ended.
        if (answer.header('retry-after') !== undefined) this.#askedUntil = performance.now() + waitMs
        await pause(waitMs, over)
      }
    }
  }

  async #run(): Promise<void> {
    const closing = this.#closing.signal
    const { intervalMs } = this.#parts
    let gatherMs = GATHER_MS / 2
    for (;;) {
      const silentFrom = performance.now()
      await this.#news.promise
      const isFirst = performance.now() - silentFrom >= intervalMs
      gatherMs = Math.min(isFirst ? GATHER_MS : 2 * gatherMs, intervalMs)
      await pause(gatherMs, AbortSignal.any([closing, this.#wake.signal]))
      if (closing.aborted) return
      this.#news = Promise.withResolvers<void>()
      this.#wake = new AbortController()
      this.#keepStates()
      await this.flush(closing)
    }
  }

  #keepStates(): void {
    for (const state of this.#states.values()) {
      if (!state.isKept) this.#append(state.text)
      state.isKept = true
    }
  }

  /** Moves to the offset that the plane's answer names; returns whether that is progress. */
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
