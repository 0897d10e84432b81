import type { IncomingMessage, ServerResponse } from 'node:http'
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'

const RESOLUTION_MS = 5
const NS_PER_MS = 1e6
const US_PER_MS = 1000
/**
 * A turn that took the thread of the loop longer than this is reported, with the requests of that turn.
 */
const BUSY_MS = 25
const MAX_TOLD = 5
const MAX_IDLE_MS = 3000
const MOMENT_MS = 50
const MAX_NAMED = 12
const MAX_PATH = 60

/** The load of the service's event loop during a stretch of time, in milliseconds. */
export interface Strain {
  /** The delay of the loop, including waits for a core of the machine. */
  readonly p50: number
  readonly p99: number
  readonly max: number
  /**
   * The longest time that the thread worked between two timers of the loop; other work on the machine does
   * not count.
   */
  readonly busyMax: number
  /** The longest pause of the garbage collector. */
  readonly gcMax: number
  /** The processor time of the whole process, and of the thread of the loop. */
  readonly cpuMs: number
  readonly loopMs: number
  /** The busiest turns, with the requests that arrived or were answered in them. */
  readonly busy: readonly BusyTurn[]
}

interface BusyTurn {
  readonly ms: number
  readonly requests: readonly string[]
}

const threadMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / US_PER_MS
}

/** Measures the load of this process's event loop, and the requests that caused it. */
export class LoopStrain {
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  #cpu = process.cpuUsage()
  #thread = threadMs()
  #busy: BusyTurn[] = []
  #busyMax = 0
  #seen: string[] = []
  #gcMax = 0
  readonly #underWay = new Set<ServerResponse>()

  constructor() {
    this.#delay.enable()
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) this.#gcMax = Math.max(this.#gcMax, duration)
    }).observe({ entryTypes: ['gc'] })
    this.#watch(threadMs())
  }

  /** Records a request when it arrives and when it is answered. */
  note({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
    const line = `${method} ${url.slice(0, MAX_PATH)}`
    this.#seen.push(line)
    this.#underWay.add(response)
    response.once('finish', () => {
      this.#seen.push(line)
      this.#underWay.delete(response)
    })
  }

  /**
   * Waits until requests are answered. A request whose client has gone never finishes, so it gets only a
   * moment.
   */
  async idle(): Promise<void> {
    const isWaiting = () => [...this.#underWay].some(({ req }) => !req.socket.destroyed)
    const until = performance.now() + MAX_IDLE_MS
    do await new Promise((resolve) => setTimeout(resolve, MOMENT_MS))
    while (isWaiting() && performance.now() < until)
    this.#underWay.clear()
  }

  /** Returns the figures since the last call. */
  told(): Strain {
    const at = (share: number) => Math.max(0, this.#delay.percentile(share) / NS_PER_MS - RESOLUTION_MS)
    const { user, system } = process.cpuUsage(this.#cpu)
    const busy = this.#busy.toSorted((one, other) => other.ms - one.ms).slice(0, MAX_TOLD)
    const [busyMax, gcMax, cpuMs] = [this.#busyMax, this.#gcMax, (user + system) / US_PER_MS]
    const loopMs = threadMs() - this.#thread
    const told = { p50: at(50), p99: at(99), max: at(100), busyMax, gcMax, cpuMs, loopMs, busy }
    this.#delay.reset()
    this.#cpu = process.cpuUsage()
    this.#thread = threadMs()
    this.#busyMax = 0
    this.#gcMax = 0
    this.#busy = []
    return told
  }

  #watch(before: number): void {
    setTimeout(() => {
      const now = threadMs()
      const ms = now - before
      this.#busyMax = Math.max(this.#busyMax, ms)
      if (ms > BUSY_MS) this.#busy.push({ ms, requests: [...new Set(this.#seen)].slice(0, MAX_NAMED) })
      this.#seen = []
      this.#watch(now)
    }, RESOLUTION_MS).unref()
  }
}
