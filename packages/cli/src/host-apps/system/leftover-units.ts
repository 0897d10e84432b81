import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@svc/core'
import { SocketTable } from './listening.ts'
import { SYSTEM } from './places.ts'
import type { Systemctl } from './systemctl.ts'
import { removeUnit } from './unit-slot.ts'
import { appOfUnit, isTaskName, isUnitName, UNIT_FOLDERS, unitFolder } from './unit-text.ts'

/** Inputs of the units that are left over. */
export interface LeftoverUnitsParts {
  readonly systemctl: Systemctl
  readonly log: Log
  /** Whether a release of the application answers visitors. */
  readonly isLive: (app: string) => boolean
}

/** An instance of an earlier release that still has visitors. */
interface Leaving {
  readonly app: string
  readonly port: number
  /** Ends it without a further wait. */
  readonly soon: AbortController
  readonly done: Promise<void>
}

const LOOK_MS = 100
/** Time from the stop signal to SIGKILL. */
const END_MS = 10_000

/**
 * Units that belong to no release that runs: a supervisor that was killed in a deploy leaves some. Instances
 * that it had taken the new visitors from keep those that they have, for their grace time.
 */
export class LeftoverUnits implements Disposable {
  readonly #parts: LeftoverUnitsParts
  readonly #leaving = new Map<string, Leaving>()
  readonly #over = new AbortController()

  constructor(parts: LeftoverUnitsParts) {
    this.#parts = parts
  }

  /** Ends all units but those that are known. Resolves when those without visitors have ended. */
  async sweep(known: ReadonlySet<string>): Promise<void> {
    const names = [
      ...(await this.#parts.systemctl.running('svc-app@*', 'svc-task@*')),
      ...readdirSync(UNIT_FOLDERS).map((folder) => `${folder}.service`),
      ...readdirSync(SYSTEM.units).filter(isUnitName),
      ...readdirSync(SYSTEM.transient).filter(isTaskName),
    ]
    const left = [...new Set(names)].filter((unit) => !known.has(unit))
    for (const unit of left) {
      const app = appOfUnit(unit)
      const port = portOf(unit)
      if (port > 0 && this.#parts.isLive(app) && isVisited(port)) this.#leave(unit, app, port)
      else await this.#end(unit)
    }
    if (left.length > 0) await this.#parts.systemctl.reload()
  }

  /** The ports of instances of an application that still have visitors. */
  portsOf(app: string): readonly number[] {
    return [...this.#leaving.values()].flatMap((each) => (each.app === app ? [each.port] : []))
  }

  /** Ends units now that still have visitors. */
  async clear(isMine: (unit: string) => boolean): Promise<void> {
    const mine = [...this.#leaving].flatMap(([unit, leaving]) => (isMine(unit) ? [leaving] : []))
    for (const { soon } of mine) soon.abort()
    await Promise.all(mine.map(({ done }) => done))
  }

  /** The next supervisor finds those that still have visitors. */
  [Symbol.dispose](): void {
    this.#over.abort()
  }

  #leave(unit: string, app: string, port: number): void {
    const soon = new AbortController()
    const done = this.#left(unit, port, soon.signal)
      .catch((err: unknown) =>
        this.#parts.log.error({ err, unit }, 'a unit that belongs to no application does not end'),
      )
      .finally(() => this.#leaving.delete(unit))
    this.#leaving.set(unit, { app, port, soon, done })
  }

  async #left(unit: string, port: number, soon: AbortSignal): Promise<void> {
    rmSync(join(SYSTEM.wants, unit), { force: true })
    const end = performance.now() + graceMsOf(unit)
    while (isVisited(port) && performance.now() < end && !soon.aborted) {
      await pause(LOOK_MS)
      if (this.#over.signal.aborted) return
    }
    await this.#end(unit)
    await this.#parts.systemctl.reload()
    await this.#parts.systemctl.forget(unit)
  }

  async #end(unit: string): Promise<void> {
    const { systemctl, log } = this.#parts
    try {
      await systemctl.stop(unit, END_MS)
    } catch (err) {
      log.error({ err, unit }, 'a unit that belongs to no application does not end')
      return
    }
    removeUnit(unit)
    await systemctl.forget(unit)
    log.warn({ unit }, 'ended a unit that belongs to no application')
  }
}

const isVisited = (port: number): boolean => SocketTable.recent().connectionsTo(port) > 0

/** The port of an instance; 0 when it has none. */
function portOf(unit: string): number {
  const path = join(unitFolder(unit), 'port')
  return existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0
}

/** The longest time that it may take to end: its grace time, and somewhat more for a container. */
function graceMsOf(unit: string): number {
  const file = join(SYSTEM.units, unit)
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1] ?? 0) * 1000
}
