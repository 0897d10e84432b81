import { setImmediate as breathe } from 'node:timers/promises'
import { EventHeap, type TimedEvent } from './event-heap.ts'

const FNV_PRIME = 0x01000193
const FNV_START = 0x811c9dc5 | 0

/** The number of events after which timers and sockets of the process get a turn. */
const BREATHE_EVERY = 1000

/** The number of last lines that a trace keeps. */
const TRACE_LINES = 400

/**
 * Simulated time. All waiting code waits here, and continues one event after the other in the order of (time,
 * sequence). The seed draws the times, so it decides every interleaving.
 */
export class Timeline {
  readonly #heap = new EventHeap()
  readonly #trace: string[] | undefined
  readonly #isPatient: boolean
  #nowMs = 0
  #planned = 0
  #happened = 0
  #hash = FNV_START
  #isStopped = false

  /** `isPatient`: code that runs at an event may need ticks of the process, as streams do. */
  constructor({ isTraced = false, isPatient = false } = {}) {
    this.#isPatient = isPatient
    this.#trace = isTraced ? [] : undefined
  }

  /** Milliseconds since the start. */
  get nowMs(): number {
    return this.#nowMs
  }

  /** The number of events so far. */
  get happened(): number {
    return this.#happened
  }

  /** A digest of all events so far with their instants: equal for equal runs. */
  get hash(): number {
    return this.#hash >>> 0
  }

  /** The last lines of the trace; empty if the run is not traced. */
  get trace(): readonly string[] {
    return this.#trace ?? []
  }

  /** Adds a line to the trace; calls `line` only if the run is traced. */
  note(line: () => string): void {
    if (this.#trace === undefined) return
    this.#trace.push(`${(this.#nowMs / 1000).toFixed(3).padStart(9)} ${line()}`)
    if (this.#trace.length > 2 * TRACE_LINES) this.#trace.splice(0, TRACE_LINES)
  }

  /** Plans a call of `run` in `delayMs` milliseconds. */
  after(delayMs: number, label: string, run: () => void): TimedEvent {
    this.#planned += 1
    const atMs = this.#nowMs + Math.max(0, delayMs)
    const event = { atMs, sequence: this.#planned, label, run, isCancelled: false }
    this.#heap.add(event)
    return event
  }

  /** Resolves in `delayMs` milliseconds. */
  sleep(delayMs: number, label = 'sleep'): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, label, resolve))
  }

  /** Stops the run: no event happens after the present one. */
  stop(): void {
    this.#isStopped = true
  }

  /** Runs events until `isOver` returns true, `stop` is called or no event is left. */
  async run(isOver: () => boolean): Promise<void> {
    while (!this.#isStopped && !isOver()) {
      const event = this.#heap.take()
      if (event === undefined) return
      if (event.isCancelled) continue
      this.#nowMs = event.atMs
      this.#happened += 1
      this.#mix(event.label, event.atMs)
      event.run()
      await this.#settle()
    }
  }

  /** Lets all code that an event started run as far as it can without another event. */
  async #settle(): Promise<void> {
    // A tick comes after all microtasks and costs a third of a turn of the event loop. Only parts that use
    // ticks themselves, such as streams, need a turn.
    if (this.#isPatient || this.#happened % BREATHE_EVERY === 0) await breathe()
    else await new Promise<void>((resolve) => process.nextTick(resolve))
  }

  #mix(label: string, atMs: number): void {
    let hash = Math.imul(this.#hash ^ (atMs | 0), FNV_PRIME)
    for (let index = 0; index < label.length; index += 1) {
      hash = Math.imul(hash ^ label.charCodeAt(index), FNV_PRIME)
    }
    this.#hash = hash
  }
}

/** Returns a promise that never resolves, for code of a crashed process to wait on. */
export const never = <T>(): Promise<T> => new Promise(() => {})
