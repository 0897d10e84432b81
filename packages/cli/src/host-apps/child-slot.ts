import { setTimeout as pause } from 'node:timers/promises'
import { isVisited } from '@svc/core/adapters'
import { givePort, takePort } from './free-port.ts'
import { becomesHealthy, staysAlive } from './health.ts'
import { Instance } from './instance.ts'
import type { Slot, SlotParts, Timing } from './slot.ts'

/** A process that has lived so long has not failed at its start. */
const LONG_LIFE_MS = 60_000

/** The place of an instance that is a child of this process. */
export class ChildSlot implements Slot {
  readonly parts: SlotParts
  restarts = 0
  readonly #timing: Timing
  #instance: Instance | undefined
  #wasHealthy = false
  readonly #life = new AbortController()
  #kept: Promise<void> | undefined

  constructor(parts: SlotParts, timing: Timing) {
    this.parts = parts
    this.#timing = timing
  }

  /** The instance, when it runs and was healthy. */
  get up(): Instance | undefined {
    return this.#wasHealthy && this.#instance?.isRunning ? this.#instance : undefined
  }

  get isUp(): boolean {
    return this.up !== undefined
  }

  get pid(): number | undefined {
    return this.#instance?.pid
  }

  get port(): number | undefined {
    return this.#instance?.port
  }

  get open(): number {
    return this.#instance?.open ?? 0
  }

  get lastLines(): readonly string[] {
    return this.#instance?.lastLines ?? []
  }

  async begin(signal: AbortSignal): Promise<string | undefined> {
    const { process, definition, folder, env, onLine } = this.parts
    const port = isVisited(process, definition) ? await takePort() : undefined
    if (this.#life.signal.aborted) {
      if (port !== undefined) givePort(port)
      return 'it was stopped'
    }
    const own = port === undefined ? env : { ...env, PORT: String(port) }
    const instance = new Instance({ command: definition.command ?? '', folder, env: own, port, onLine })
    this.#instance = instance
    if (port !== undefined) void instance.ended.then(() => givePort(port))
    const fault =
      port === undefined
        ? await staysAlive(instance, this.#timing.aliveMs, signal)
        : await becomesHealthy(instance, port, definition.health, signal)
    this.#wasHealthy = fault === undefined
    return fault
  }

  async keep(isFresh: boolean): Promise<void> {
    this.#kept = this.#watch(isFresh).catch((error: Error) => this.parts.onLine(`[svc] ${error.message}`))
  }

  async stop(graceMs = this.parts.stop.grace_s * 1000): Promise<void> {
    this.#life.abort()
    await this.#instance?.stop(this.parts.stop.signal, graceMs)
    await this.#kept
  }

  async #watch(isFresh: boolean): Promise<void> {
    const { onLine } = this.parts
    const timing = this.#timing
    const { signal } = this.#life
    let wait = timing.backoffMs
    if (isFresh) await this.#again()
    while (!signal.aborted) {
      const since = performance.now()
      const how = (await this.#instance?.ended) ?? 'nothing'
      this.#wasHealthy = false
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
