import { setTimeout as pause } from 'node:timers/promises'
import { type AppProcess, type AppStop, WEB_PROCESS } from '@svc/core/adapters'
import { givePort, takePort } from './free-port.ts'
import { becomesHealthy } from './health.ts'
import { Instance } from './instance.ts'

/** Waits and times of a supervisor, in milliseconds. */
export interface Timing {
  /** How long a process without a port has to live to count as healthy. */
  readonly aliveMs: number
  /** First and longest wait before a process that ended is started again. */
  readonly backoffMs: number
  readonly backoffMaxMs: number
}

/** Waits and times of a supervisor, unless a test has others. */
export const TIMING: Timing = { aliveMs: 5_000, backoffMs: 1_000, backoffMaxMs: 30_000 }

/** A process that has lived so long has not failed at its start. */
const LONG_LIFE_MS = 60_000

/** Inputs of a slot. */
export interface SlotParts {
  readonly process: string
  readonly number: number
  readonly definition: AppProcess
  readonly stop: AppStop
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly timing: Timing
  readonly onLine: (line: string) => void
}

/** The place of one instance: its successors take it when it ends. */
export class Slot {
  readonly parts: SlotParts
  restarts = 0
  #instance: Instance | undefined
  #isUp = false
  readonly #life = new AbortController()
  #kept: Promise<void> | undefined

  constructor(parts: SlotParts) {
    this.parts = parts
  }

  /** The instance, when it runs and was healthy. */
  get up(): Instance | undefined {
    return this.#isUp && this.#instance?.isRunning ? this.#instance : undefined
  }

  get instance(): Instance | undefined {
    return this.#instance
  }

  /** Starts the instance and waits until it is healthy. Returns why it is not; undefined when it is. */
  async begin(signal: AbortSignal): Promise<string | undefined> {
    const { process, definition, folder, env, onLine } = this.parts
    const port = process === WEB_PROCESS ? await takePort() : undefined
    if (this.#life.signal.aborted) {
      if (port !== undefined) givePort(port)
      return 'it was stopped'
    }
    const own = port === undefined ? env : { ...env, PORT: String(port) }
    const instance = new Instance({ command: definition.command, folder, env: own, port, onLine })
    this.#instance = instance
    if (port !== undefined) void instance.ended.then(() => givePort(port))
    const fault =
      port === undefined
        ? await this.#staysAlive(instance, signal)
        : await becomesHealthy(instance, port, definition.health, signal)
    this.#isUp = fault === undefined
    return fault
  }

  /** From now on the instance is started again whenever it ends. `isFresh`: it has to be started first. */
  keep(isFresh: boolean): void {
    this.#kept = this.#watch(isFresh).catch((error: Error) => this.parts.onLine(`[svc] ${error.message}`))
  }

  /** Ends the instance, and starts none any more. */
  async stop(graceMs = this.parts.stop.grace_s * 1000): Promise<void> {
    this.#life.abort()
    await this.#instance?.stop(this.parts.stop.signal, graceMs)
    await this.#kept
  }

  async #staysAlive(instance: Instance, signal: AbortSignal): Promise<string | undefined> {
    const over = new AbortController()
    const passed = pause(this.parts.timing.aliveMs, undefined, {
      signal: AbortSignal.any([signal, over.signal]),
    }).then(
      () => undefined,
      () => 'the deploy was called off',
    )
    const ended = instance.ended.then((how) => `it ended with ${how}`)
    return Promise.race([passed, ended]).finally(() => over.abort())
  }

  async #watch(isFresh: boolean): Promise<void> {
    const { timing, onLine } = this.parts
    const { signal } = this.#life
    let wait = timing.backoffMs
    if (isFresh) await this.#again()
    while (!signal.aborted) {
      const since = performance.now()
      const how = (await this.#instance?.ended) ?? 'nothing'
      this.#isUp = false
      if (signal.aborted) return
      if (performance.now() - since > LONG_LIFE_MS) wait = timing.backoffMs
      onLine(`[svc] it ended with ${how}; starting it again in ${wait / 1000} s`)
      await pause(wait, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      wait = Math.min(wait * 2, timing.backoffMaxMs)
      this.restarts += 1
      await this.#again()
    }
  }

  /** One that is not healthy in time is ended: the next one follows. */
  async #again(): Promise<void> {
    const fault = await this.begin(this.#life.signal)
    if (fault === undefined || !this.#instance?.isRunning || this.#life.signal.aborted) return
    this.parts.onLine(`[svc] ${fault}`)
    await this.#instance.stop('SIGKILL', 0)
  }
}
