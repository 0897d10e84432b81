import { createHash } from 'node:crypto'
import { type Config, type ControlPlane, createControlPlane, type Ids, MemoryRateCounter } from '@svc/core'
import { spellId } from '@svc/core/ports'
import type { RateCheck } from './checks/rates.ts'
import { Connection } from './connection.ts'
import type { SimulatedDatabase } from './database.ts'
import type { Fault } from './fault.ts'
import { Life } from './life.ts'
import { ALERTS_URL, TICK_MS } from './plane-config.ts'
import type { Random } from './random.ts'
import { Receiver } from './receiver.ts'
import type { SimulationSeams } from './seams.ts'
import { serviceEndpoint } from './service-endpoint.ts'
import { SimulatedClock } from './simulated-clock.ts'
import type { Timeline } from './timeline.ts'
import type { Endpoint } from './wire.ts'

/** Parts of a replica. */
export interface ReplicaParts {
  readonly name: string
  readonly config: Config
  readonly database: SimulatedDatabase
  readonly timeline: Timeline
  readonly random: Random
  readonly seams: SimulationSeams
  readonly rates: RateCheck
  readonly isOn: (fault: Fault) => boolean
  /** Returns the number of the next identifier. */
  readonly nextNumber: () => number
  readonly clockOffsetMs: number
  /** Whether it evaluates alerts and announces them. */
  readonly hasAlerts: boolean
}

/** A replica while it is up: its services, and its agent API. */
export interface RunningReplica {
  readonly life: Life
  readonly plane: ControlPlane
  readonly endpoint: Endpoint
}

const SWEEP_MS = 20_000
const TICK_SPREAD_MS = 100
const DOWN_MS = 8000

/** One server process with the real services of the product. A crash loses its memory. */
export class Replica {
  readonly #parts: ReplicaParts
  readonly #clock: SimulatedClock
  #running: RunningReplica | undefined

  constructor(parts: ReplicaParts) {
    this.#parts = parts
    this.#clock = new SimulatedClock(parts.timeline, parts.clockOffsetMs)
  }

  /** The running replica; undefined while it is down. */
  get running(): RunningReplica | undefined {
    return this.#running
  }

  start(): void {
    const { timeline, name } = this.#parts
    const life = new Life()
    const plane = this.#plane(life)
    const api = (this.#parts.seams.endpoint ?? serviceEndpoint)(plane)
    const endpoint = this.#parts.rates.watched(life, api)
    this.#running = { life, plane, endpoint }
    timeline.note(() => `${name} starts`)
    void this.#sweep(life, plane)
    if (this.#parts.hasAlerts) void this.#tick(life, plane)
  }

  /** Ends the process with all its work under way; the replica restarts after a random time. */
  crash(): void {
    if (this.#running === undefined) return
    const { timeline, random, name } = this.#parts
    timeline.note(() => `${name} crashes`)
    this.#running.life.end()
    this.#running = undefined
    timeline.after(random.fraction() * DOWN_MS, 'restart', () => this.start())
  }

  #plane(life: Life): ControlPlane {
    const { database, timeline, seams, config, rates, random, isOn } = this.#parts
    const clock = seams.clock?.(this.#clock) ?? this.#clock
    const counter = new MemoryRateCounter(clock)
    const rateCounter = rates.counter(life, seams.rateCounter?.(counter) ?? counter, clock)
    const crash = () => this.crash()
    const connection = new Connection({ database, timeline, random, rates: counter, life, isOn, crash })
    const own = connection.storage()
    const storage = seams.storage?.(own, { database, timeline, life }) ?? own
    const requested = (url: string, id: string) => {
      if (url !== ALERTS_URL) database.webhooks.requested(url, id)
    }
    const accepted = (url: string, id: string) => database.webhooks.accepted(url, id)
    const outbound = new Receiver({ timeline, random, life, isOn, requested, accepted })
    const local = { ids: this.#ids(), outbound, threads: false }
    const plane = createControlPlane({ config, storage, clock, rateCounter, ...local })
    seams.plane?.(plane)
    return plane
  }

  #ids(): Ids {
    const { nextNumber } = this.#parts
    return {
      next: (prefix) => spellId(prefix, this.#clock.now().getTime(), BigInt(nextNumber())),
      secret: (bytes) =>
        createHash('shake256', { outputLength: bytes }).update(`secret ${nextNumber()}`).digest('base64url'),
    }
  }

  async #sweep(life: Life, plane: ControlPlane): Promise<void> {
    const { timeline, random } = this.#parts
    for (;;) {
      await timeline.sleep(SWEEP_MS * (0.5 + random.fraction()), 'sweep')
      if (life.isOver) return
      await plane.jobs.sweep().catch(() => {})
    }
  }

  async #tick(life: Life, plane: ControlPlane): Promise<void> {
    const { timeline, random } = this.#parts
    for (;;) {
      // Every replica ticks at about the same time, as cron would do: overlapping ticks must count as one.
      await timeline.sleep(TICK_MS - (timeline.nowMs % TICK_MS) + TICK_SPREAD_MS * random.fraction(), 'tick')
      if (life.isOver) return
      await plane.alerts.evaluate().catch(() => {})
      // Not awaited, so that a slow receiver does not delay evaluations.
      void plane.alerts.deliver().catch(() => {})
      void plane.webhookDeliveries.drain().catch(() => {})
    }
  }
}
