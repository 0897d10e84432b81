import { Histogram } from '../measure/histogram.ts'
import { Connection } from './connection.ts'
import type { Stream, StreamOutcome } from './load.ts'
import type { RequestSource } from './requests.ts'

/** One answer in this many is read, so that the reader does not take the processor from the server. */
const READ_EVERY = 50
const TICK_MS = 1
/** Requests that may be due and unsent before a server counts as drowned. */
const MAX_BACKLOG = 200_000
/** Longest wait for answers that are under way at the end. */
const GRACE_MS = 5000

interface Line {
  readonly connection: Connection
  sentAt: number
}

/** One run of one stream, on connections of its own. */
export class StreamRun {
  readonly #stream: Stream
  readonly #source: RequestSource
  readonly #lines: Line[] = []
  /**
   * Lines without a request, from `#firstFree` on. The line that has rested longest is first, because a
   * server hangs up on silent clients.
   */
  readonly #free: Line[] = []
  #firstFree = 0
  readonly #latency = new Histogram()
  readonly #statuses: Record<string, number> = {}
  readonly #faults: Record<string, number> = {}
  #operations = 0
  #answers = 0
  #isOpen = false
  #isOver = false
  #due: number[] = []
  #dueAt = 0
  #settled: (() => void) | undefined

  constructor(stream: Stream, source: RequestSource) {
    this.#stream = stream
    this.#source = source
    const url = new URL(stream.url)
    for (let count = 0; count < stream.connections; count += 1) {
      const connection: Connection = new Connection(
        url,
        (status, body) => this.#answered(line, status, body),
        (reason) => {
          if (!this.#isOver) this.#fault(reason)
        },
      )
      const line: Line = { connection, sentAt: 0 }
      this.#lines.push(line)
      this.#free.push(line)
    }
  }

  /** Sends for `seconds`, then waits for the answers under way. */
  async run(seconds: number): Promise<StreamOutcome> {
    await Promise.all(this.#lines.map(({ connection }) => connection.opened))
    const start = performance.now()
    this.#isOpen = true
    if (this.#stream.rate === undefined) {
      for (let line = this.#rested(); line !== undefined; line = this.#rested()) this.#send(line, start)
    } else await this.#pace(this.#stream.rate, start, seconds)
    const left = start + seconds * 1000 - performance.now()
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, left)))
    this.#isOpen = false
    const took = (performance.now() - start) / 1000
    await this.#rest()
    this.#isOver = true
    for (const { connection } of this.#lines) connection.close()
    const { rate } = this.#stream
    return {
      operations: this.#operations,
      answered: this.#answers,
      // Closed loops are counted to the end of the time, paced ones until all was answered.
      seconds: rate === undefined ? took : Math.max(took, (performance.now() - start) / 1000),
      latency: this.#latency.toJSON(),
      statuses: this.#statuses,
      faults: this.#faults,
    }
  }

  #send(line: Line, since: number): void {
    line.sentAt = since
    line.connection.send(this.#source.next())
  }

  // A set that each request takes one out of would make tables of its own all the time.
  #rested(): Line | undefined {
    const line = this.#free[this.#firstFree]
    if (line === undefined) return undefined
    this.#firstFree += 1
    if (this.#firstFree === this.#lines.length) {
      this.#free.splice(0, this.#firstFree)
      this.#firstFree = 0
    }
    return line
  }

  // Due requests take free connections; a request that finds none waits, and its wait counts.
  #pace(rate: number, start: number, seconds: number): Promise<void> {
    const total = Math.round(rate * seconds)
    let due = 0
    return new Promise((resolve) => {
      const tick = () => {
        const now = performance.now()
        const until = Math.min(total, Math.floor(((now - start) / 1000) * rate))
        for (; due < until; due += 1) this.#due.push(now)
        this.#sendDue()
        if (this.#due.length - this.#dueAt > MAX_BACKLOG) this.#fault('requests pile up')
        else if (due < total) return void setTimeout(tick, TICK_MS)
        resolve()
      }
      tick()
    })
  }

  #sendDue(): void {
    while (this.#dueAt < this.#due.length) {
      const line = this.#rested()
      if (line === undefined) return
      this.#send(line, this.#due[this.#dueAt] as number)
      this.#dueAt += 1
    }
    this.#due = []
    this.#dueAt = 0
  }

  #answered(line: Line, status: number, body: Buffer): void {
    const now = performance.now()
    this.#count(status, body, (now - line.sentAt) * 1000)
    if (this.#stream.rate === undefined && this.#isOpen) this.#send(line, now)
    else {
      this.#free.push(line)
      if (this.#dueAt < this.#due.length) this.#sendDue()
    }
    if (this.#settled !== undefined && this.#isQuiet()) this.#settled()
  }

  #count(status: number, body: Buffer, micros: number): void {
    this.#answers += 1
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1
    this.#latency.record(micros)
    const { strict = true } = this.#stream
    if (strict && status !== this.#source.status) this.#fault(`status ${status}`)
    else if (this.#isOpen || this.#stream.rate !== undefined) this.#operations += 1
    if (strict && status === this.#source.status && this.#answers % READ_EVERY === 0) {
      const wrong = this.#source.wrong(body.toString())
      if (wrong !== undefined) this.#fault(wrong)
    }
  }

  #fault(reason: string): void {
    this.#faults[reason] = (this.#faults[reason] ?? 0) + 1
  }

  #isQuiet(): boolean {
    return this.#free.length - this.#firstFree === this.#lines.length && this.#dueAt >= this.#due.length
  }

  async #rest(): Promise<void> {
    if (this.#isQuiet()) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#settled = resolve
    const late = setTimeout(() => {
      this.#fault('not answered in time')
      resolve()
    }, GRACE_MS)
    await promise
    clearTimeout(late)
    this.#settled = undefined
  }
}
