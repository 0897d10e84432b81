import { Problem } from '../problem.ts'
import { type Monitor, type MonitorOwner, type MonitorTrouble, nameFault } from './monitor.ts'
import {
  changedDefinition,
  type DefinitionChange,
  readDefinition,
  type WrittenDefinition,
} from './monitor-definition.ts'
import {
  type FinishedRun,
  type Inspection,
  type MonitorRunResult,
  MonitorRuns,
  type MonitorRunsParts,
} from './monitor-runs.ts'
import type { HistoryEntry, MonitorFilter } from './monitors-store.ts'

/** What `Monitors` is built from. */
export type MonitorsParts = MonitorRunsParts

/** What an operator asks to be watched. */
export interface AddMonitorInput extends MonitorOwner, WrittenDefinition {
  readonly name: string
}

/** Watched DNS names (wire-app §2). */
export class Monitors {
  readonly #parts: MonitorsParts
  readonly #runs: MonitorRuns

  constructor(parts: MonitorsParts) {
    this.#parts = parts
    this.#runs = new MonitorRuns(parts)
  }

  /**
   * Stores a monitor; it is due at once.
   * @throws Problem `invalid-input`, or `conflict` when the owner has one of this name
   */
  async add({ name, tenantId, licenseId, ...written }: AddMonitorInput): Promise<Monitor> {
    const { storage, ids, clock } = this.#parts
    const fault = nameFault(name)
    if (fault !== undefined) throw new Problem('invalid-input', { details: [fault] })
    const made = { id: ids.next('mon'), name, tenantId, licenseId, ...readDefinition(written) }
    const monitor = await storage.monitors.add(made, clock.forStores())
    if (monitor === undefined) {
      throw new Problem('conflict', { detail: `there is a monitor called ${name} already` })
    }
    return monitor
  }

  /** Monitors by name. */
  list(filter: MonitorFilter = {}): Promise<readonly Monitor[]> {
    return this.#parts.storage.monitors.list(filter)
  }

  /**
   * A monitor by id or name.
   * @throws Problem `not-found`, or `ambiguous` when owners share the name
   */
  async resolve(idOrName: string): Promise<Monitor> {
    const found = await this.#parts.storage.monitors.find(idOrName)
    const [monitor] = found
    if (monitor === undefined) throw new Problem('not-found', { detail: `there is no monitor ${idOrName}` })
    if (found.length > 1) {
      const candidates = found.map(({ id }) => id)
      throw new Problem('ambiguous', {
        detail: `several monitors are called ${idOrName}: use an id`,
        candidates,
      })
    }
    return monitor
  }

  /**
   * Changes the definition; the monitor is due at once.
   * @throws Problem `not-found`, `ambiguous`, `invalid-input`, or `conflict` when it was changed meanwhile
   */
  async update(idOrName: string, change: DefinitionChange): Promise<Monitor> {
    const { storage, clock } = this.#parts
    const old = await this.resolve(idOrName)
    const { id, revision } = old
    const changed = { id, revision, ...changedDefinition(definitionOf(old), change) }
    const monitor = await storage.monitors.redefine(changed, clock.forStores())
    if (monitor === undefined) {
      throw new Problem('conflict', { detail: `${old.name} was changed meanwhile: look at it and try again` })
    }
    return monitor
  }

  /** Stops asking. @throws Problem `not-found`, `ambiguous` */
  pause(idOrName: string): Promise<Monitor> {
    return this.#setPaused(idOrName, true)
  }

  /** Asks again, at once. @throws Problem `not-found`, `ambiguous` */
  resume(idOrName: string): Promise<Monitor> {
    return this.#setPaused(idOrName, false)
  }

  /** Removes a monitor with its history. @throws Problem `not-found`, `ambiguous` */
  async remove(idOrName: string): Promise<Monitor> {
    const monitor = await this.resolve(idOrName)
    await this.#parts.storage.monitors.remove(monitor.id)
    return monitor
  }

  /**
   * Takes the answer that counts for the new baseline, which ends a drift.
   * @throws Problem `not-found`, `ambiguous`, or `conflict` when there is no baseline to replace
   */
  async accept(idOrName: string): Promise<Monitor> {
    const { storage, clock } = this.#parts
    const old = await this.resolve(idOrName)
    const monitor = await storage.monitors.accept(old.id, clock.forStores())
    if (monitor !== undefined) return monitor
    const detail =
      old.mode === 'expect'
        ? `${old.name} expects what it was told: use monitors update with other values`
        : `${old.name} has no answer yet: run it first`
    throw new Problem('conflict', { detail })
  }

  /** Asks once, now, and changes nothing. @throws Problem `not-found`, `ambiguous` */
  async check(idOrName: string): Promise<Inspection & { readonly monitor: Monitor }> {
    const monitor = await this.resolve(idOrName)
    return { monitor, ...(await this.#runs.inspect(monitor)) }
  }

  /**
   * Runs one monitor now, due or not.
   * @throws Problem `not-found`, `ambiguous`, or `conflict` while it is paused or runs elsewhere
   */
  async run(idOrName: string): Promise<FinishedRun> {
    const { id, name } = await this.resolve(idOrName)
    const run = await this.#runs.one(id)
    if (run === undefined) {
      throw new Problem('conflict', {
        detail: `${name} is paused, runs at this moment, or was changed meanwhile`,
      })
    }
    return run
  }

  /**
   * Runs everything that is due, once however many call this at once, until there is no more or `signal` ends
   * it. `transitions` are what became of monitors now; `troubles` tells what is wrong with them at any time.
   */
  async runDue(signal?: AbortSignal): Promise<MonitorRunResult> {
    const runs = await this.#runs.due(signal)
    return {
      ran: runs.length,
      changed: runs.filter(({ changed }) => changed).length,
      transitions: runs.flatMap(({ transitions }) => transitions),
    }
  }

  /** Every drift and every silence that is confirmed, of monitors that are not paused. */
  async troubles(): Promise<readonly MonitorTrouble[]> {
    const monitors = await this.list()
    return monitors.filter(({ pausedAt }) => pausedAt === undefined).flatMap(troublesOf)
  }

  /** Stretches of equal runs, newest first. @throws Problem `not-found`, `ambiguous` */
  async history(
    idOrName: string,
    limit: number,
  ): Promise<{ readonly monitor: Monitor; readonly history: readonly HistoryEntry[] }> {
    const monitor = await this.resolve(idOrName)
    return { monitor, history: await this.#parts.storage.monitors.history(monitor.id, limit) }
  }

  async #setPaused(idOrName: string, paused: boolean): Promise<Monitor> {
    const { storage, clock } = this.#parts
    const { id, name } = await this.resolve(idOrName)
    const monitor = await storage.monitors.setPaused(id, paused, clock.forStores())
    if (monitor === undefined) throw new Problem('not-found', { detail: `there is no monitor ${name}` })
    return monitor
  }
}

const definitionOf = (monitor: Monitor) => {
  const { host, type, mode, match, expected, intervalSeconds, confirmations, resolvers } = monitor
  return { host, type, mode, match, expected, intervalSeconds, confirmations, resolvers }
}

function troublesOf(monitor: Monitor): MonitorTrouble[] {
  const { driftedAt, unreachableAt } = monitor
  return [
    ...(driftedAt === undefined ? [] : [{ kind: 'monitor_drift' as const, monitor, since: driftedAt }]),
    ...(unreachableAt === undefined
      ? []
      : [{ kind: 'dns_unreachable' as const, monitor, since: unreachableAt }]),
  ]
}
