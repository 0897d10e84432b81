import { setTimeout as pause } from 'node:timers/promises'
import type { Systemctl, UnitState } from './systemctl.ts'

/** Wait between two looks at a unit, in milliseconds. */
export const LOOK_MS = 200
/** The states of systemd in which a program runs. */
export const RUNNING: ReadonlySet<string> = new Set(['active', 'reloading'])

/** The life of a unit from its start to the end of its check: systemd would start it again, and again. */
export class UnitLife {
  /** The address that answered. */
  host = '127.0.0.1'
  readonly ended: Promise<string>
  state: UnitState | undefined
  #isRunning = true

  constructor(unit: string, systemctl: Systemctl, over: AbortSignal) {
    const { promise, resolve } = Promise.withResolvers<string>()
    this.ended = promise
    const watch = async () => {
      while (!over.aborted) {
        this.state = (await systemctl.show([unit])).get(unit)
        if (this.state !== undefined && (!RUNNING.has(this.state.active) || this.state.restarts > 0)) {
          this.#isRunning = false
          return resolve(this.state.end)
        }
        await pause(LOOK_MS)
      }
    }
    void watch().catch((error: Error) => resolve(error.message))
  }

  get isRunning(): boolean {
    return this.#isRunning
  }
}
