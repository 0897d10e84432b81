import type { Life } from './life.ts'
import type { Network } from './network.ts'
import type { Random } from './random.ts'
import { SimulatedClock } from './simulated-clock.ts'
import { never, type Timeline } from './timeline.ts'
import type { WireAnswer } from './wire.ts'

/** A machine as the agent on it sees it. An agent must wait through these methods only. */
export interface SimulatedHost {
  readonly fingerprint: string
  readonly hostname: string
  /** The license key of the host. */
  readonly key: string
  /** Data that survives a crash, unless the fault `agent-amnesia` wipes it. */
  readonly disk: Map<string, unknown>
  readonly random: Random
  /** The machine's own clock, which may be off by minutes. */
  now(): Date
  /** Resolves after `ms` milliseconds; never, if the agent has crashed meanwhile. */
  sleep(ms: number): Promise<void>
  /** Sends a request with the license key; resolves to undefined if no answer came. Never rejects. */
  request(
    path: string,
    body: Readonly<Record<string, unknown>>,
    idempotencyKey?: string,
  ): Promise<WireAnswer | undefined>
}

/**
 * An agent, which runs on a host until a crash. An agent that returns has ended; only a crash starts it
 * again.
 */
export type AgentProgram = (host: SimulatedHost) => Promise<void>

/** Parts of a machine. */
export interface MachineParts {
  readonly fingerprint: string
  readonly hostname: string
  readonly licenseId: string
  readonly key: string
  readonly address: string
  readonly program: AgentProgram
  readonly clockOffsetMs: number
  readonly timeline: Timeline
  readonly random: Random
  readonly network: Network
  /** Called with an error that an agent threw, which is a fault of the agent. */
  readonly failed: (error: unknown) => void
}

/** A machine with an agent on it. It can crash, lose its disk and pause. */
export class Machine {
  readonly parts: MachineParts
  readonly #disk = new Map<string, unknown>()
  readonly #clock: SimulatedClock
  #life: Life | undefined
  #pausedUntilMs = 0

  constructor(parts: MachineParts) {
    this.parts = parts
    this.#clock = new SimulatedClock(parts.timeline, parts.clockOffsetMs)
  }

  /** Starts the agent; `life` is this run of it. */
  start(life: Life): void {
    const { program, failed } = this.parts
    this.#life = life
    program(this.#host(life)).catch((error: unknown) => {
      if (!life.isOver) failed(error)
    })
  }

  /** Kills the agent; `forgets` also wipes its disk. */
  crash(forgets: boolean): void {
    const { timeline, hostname } = this.parts
    timeline.note(() => `${hostname} crashes${forgets ? ' and forgets' : ''}`)
    this.#life?.end()
    if (forgets) this.#disk.clear()
  }

  /** Pauses the machine for `ms` milliseconds, in the middle of its work. */
  pause(ms: number): void {
    const { timeline, hostname } = this.parts
    timeline.note(() => `${hostname} stands still for ${Math.round(ms / 1000)} s`)
    this.#pausedUntilMs = timeline.nowMs + ms
  }

  #host(life: Life): SimulatedHost {
    const { fingerprint, hostname, key, random, timeline, network, licenseId, address } = this.parts
    return {
      fingerprint,
      hostname,
      key,
      disk: this.#disk,
      random,
      now: () => this.#clock.now(),
      sleep: async (ms) => this.#resumed(life, await timeline.sleep(ms, 'agent')),
      request: async (path, body, idempotencyKey) => {
        const request = { path, key, body, idempotencyKey, address }
        return this.#resumed(life, await network.send(licenseId, request))
      },
    }
  }

  async #resumed<T>(life: Life, value: T): Promise<T> {
    const { timeline } = this.parts
    while (!life.isOver && timeline.nowMs < this.#pausedUntilMs) {
      await timeline.sleep(this.#pausedUntilMs - timeline.nowMs, 'resume')
    }
    return life.isOver ? never() : value
  }
}
