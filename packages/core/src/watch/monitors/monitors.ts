import { Problem } from '../../kernel/problem.ts'
import { PLATFORM, type Scope } from '../../kernel/scope.ts'
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

/** Dependencies of `Monitors`. */
export type MonitorsParts = MonitorRunsParts

/** Input for a new monitor. */
export interface AddMonitorInput extends MonitorOwner, WrittenDefinition {
  readonly name: string
}

/** Monitors of DNS names (docs/monitors.md). */
export class Monitors {
  readonly #parts: MonitorsParts
  readonly #runs: MonitorRuns

  constructor(parts: MonitorsParts) {
    this.#parts = parts
    this.#runs = new MonitorRuns(parts)
  }

  /**
   * Stores a monitor; it is due at once.
   * @throws Problem `invalid-input`, or `conflict` if the owner already has one of this name
   */
  async add({ name, tenantId, licenseId, ...written }: AddMonitorInput): Promise<Monitor> {
    const { storage, ids, clock } = this.#parts
    const fault = nameFault(name)
    if (fault !== undefined) throw new Problem('invalid-input', { details: [fault] })
    const made = { id: ids.next('mon'), name, tenantId, licenseId, ...readDefinition(written) }
    const monitor = await storage.monitors.add(made, clock.statementTime())
    if (monitor === undefined) {
      throw new Problem('conflict', { detail: `there is a monitor called ${name} already` })
    }
    return monitor
  }

  /** Lists the monitors of a scope, ordered by name. */
  list(scope: Scope, filter: MonitorFilter = {}): Promise<readonly Monitor[]> {
    return this.#parts.storage.monitors.list(scope, filter)
  }

  /**
   * Returns a monitor of a scope by id or name.
   * @throws Problem `not-found`, or `ambiguous` if several owners use the name
   */
  async resolve(scope: Scope, idOrName: string): Promise<Monitor> {
    return theMonitor(await this.#parts.storage.monitors.find(scope, idOrName), idOrName)
  }

  /**
   * Changes the definition; the monitor is due at once.
   * @throws Problem `not-found`, `ambiguous`, `invalid-input`, or `conflict` if it was changed meanwhile
   */
  async update(idOrName: string, change: DefinitionChange): Promise<Monitor> {
    const { storage, clock } = this.#parts
    const old = await this.resolve(PLATFORM, idOrName)
    const { id, revision } = old
    const changed = { id, revision, ...changedDefinition(definitionOf(old), change) }
    const monitor = await storage.monitors.redefine(changed, clock.statementTime())
    if (monitor === undefined) {
      throw new Problem('conflict', { detail: `${old.name} was changed meanwhile: look at it and try again` })
    }
    return monitor
  }

  /** Pauses a monitor. @throws Problem `not-found`, `ambiguous` */
  pause(idOrName: string): Promise<Monitor> {
    return this.#setPaused(idOrName, true)
  }

  /** Resumes a monitor; it is due at once. @throws Problem `not-found`, `ambiguous` */
  resume(idOrName: string): Promise<Monitor> {
    return this.#setPaused(idOrName, false)
  }

  /** Deletes a monitor with its history. @throws Problem `not-found`, `ambiguous` */
  async remove(idOrName: string): Promise<Monitor> {
    const monitor = await this.resolve(PLATFORM, idOrName)
    await this.#parts.storage.monitors.remove(monitor.id)
    return monitor
  }

  /**
   * Makes the confirmed answer the new baseline, which ends a drift.
   * @throws Problem `not-found`, `ambiguous`, or `conflict` if the monitor is not a baseline or has no answer
   * yet
   */
  async accept(idOrName: string): Promise<Monitor> {
    const { storage, clock } = this.#parts
    const old = await this.resolve(PLATFORM, idOrName)
    const monitor = await storage.monitors.accept(old.id, clock.statementTime())
    if (monitor !== undefined) return monitor
    const detail =
      old.mode === 'expect'
        ? `${old.name} expects given values: use monitors update with other values`
        : `${old.name} has no answer yet: run it first`
    throw new Problem('conflict', { detail })
  }

  /** Queries the resolvers once and changes nothing. @throws Problem `not-found`, `ambiguous` */
  async check(idOrName: string): Promise<Inspection & { readonly monitor: Monitor }> {
    const monitor = await this.resolve(PLATFORM, idOrName)
    return { monitor, ...(await this.#runs.inspect(monitor)) }
  }

  /**
   * Runs one monitor now, due or not.
   * @throws Problem `not-found`, `ambiguous`, or `conflict` if it is paused, already running, or was changed
   * meanwhile
   */
  async run(idOrName: string): Promise<FinishedRun> {
    const { id, name } = await this.resolve(PLATFORM, idOrName)
    const run = await this.#runs.one(id)
    if (run === undefined) {
      throw new Problem('conflict', {
        detail: `${name} is paused, runs at this moment, or was changed meanwhile`,
      })
    }
    return run
  }

  /**
   * Runs all due monitors until none is left or `signal` aborts. Concurrent calls run each due monitor only
   * once. `transitions` are the state changes by this call; `troubles` tells the current faults.
   */
  async runDue(signal?: AbortSignal): Promise<MonitorRunResult> {
    const runs = await this.#runs.due(signal)
    return {
      ran: runs.length,
      changed: runs.filter(({ changed }) => changed).length,
      transitions: runs.flatMap(({ transitions }) => transitions),
    }
  }

  /** Returns the confirmed drifts and lookup failures of all monitors that are not paused. */
  async troubles(): Promise<readonly MonitorTrouble[]> {
    const monitors = await this.list(PLATFORM)
    return monitors.filter(({ pausedAt }) => pausedAt === undefined).flatMap(troublesOf)
  }

  /** Returns the history of a monitor, newest entry first. @throws Problem `not-found`, `ambiguous` */
  async history(
    scope: Scope,
    idOrName: string,
    limit: number,
  ): Promise<{ readonly monitor: Monitor; readonly history: readonly HistoryEntry[] }> {
    const monitor = await this.resolve(scope, idOrName)
    return { monitor, history: await this.#parts.storage.monitors.history(monitor.id, limit) }
  }

  async #setPaused(idOrName: string, paused: boolean): Promise<Monitor> {
    const { storage, clock } = this.#parts
    const { id, name } = await this.resolve(PLATFORM, idOrName)
    const monitor = await storage.monitors.setPaused(id, paused, clock.statementTime())
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

/**
 * Returns the one monitor among those with the asked id or name.
 * @throws Problem `not-found`, or `ambiguous` if several owners use the name
 */
function theMonitor(found: readonly Monitor[], idOrName: string): Monitor {
  const [monitor] = found
  if (monitor === undefined) throw new Problem('not-found', { detail: `there is no monitor ${idOrName}` })
  if (found.length === 1) return monitor
  throw new Problem('ambiguous', {
    detail: `several monitors are called ${idOrName}: use an id`,
    candidates: found.map(({ id }) => id),
  })
}
