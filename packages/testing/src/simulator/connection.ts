import { Problem, type RateCounter, type Storage } from '@svc/core'
import type { Stores } from '@svc/core/ports'
import type { SimulatedDatabase } from './database.ts'
import type { Fault } from './fault.ts'
import type { Life } from './life.ts'
import type { Random } from './random.ts'
import { never, type Timeline } from './timeline.ts'
import { type StoreCall, wrapStores } from './wrap-stores.ts'

/** Parts of a replica's connection to the database. */
export interface ConnectionParts {
  readonly database: SimulatedDatabase
  readonly timeline: Timeline
  readonly random: Random
  readonly rates: RateCounter
  readonly life: Life
  /** Whether a fault may happen now. */
  readonly isOn: (fault: Fault) => boolean
  /** Ends the life of the replica here and now. */
  readonly crash: () => void
}

const SLOWLY_MS = 4000
const SLOW_SHARE = 0.03
const FAILURE_SHARE = 0.004
const FAILURE_IN_TRANSACTION_SHARE = 0.02
const CRASH_SHARE = 0.003
const CRASH_IN_TRANSACTION_SHARE = 0.05

/**
 * The storage as one replica sees it. Each call travels to the database, has its effect there and travels
 * back, at instants drawn from the seed. A crash on the way leaves the whole effect or nothing.
 */
export class Connection {
  readonly #parts: ConnectionParts

  readonly #inside: Stores

  constructor(parts: ConnectionParts) {
    this.#parts = parts
    this.#inside = wrapStores(parts.database.stores, (call) => this.#callInside(call))
  }

  /** Returns the storage that this replica's services use. */
  storage(): Storage {
    const { database, rates } = this.#parts
    const stores = wrapStores(database.stores, (call) => this.#call(call))
    return Object.assign(stores, {
      kind: 'fake' as const,
      rates,
      transaction: <T>(work: (stores: Stores) => Promise<T>) => this.#transaction<T>(work),
      health: async () => ({
        latencyMs: 0,
        now: database.clock.now(),
        missingTables: [],
        migrations: { applied: [], pending: [], drifted: [] },
      }),
      hearSignals: async (heard: (text: string) => void) => database.tables.signals.hear(heard),
      signal: async (text: string) => database.tables.signals.send(text),
      connections: () => undefined,
      [Symbol.asyncDispose]: async () => {},
    })
  }

  async #call(call: StoreCall): Promise<unknown> {
    const { database, life } = this.#parts
    await this.#travel()
    // A call that a dead process has already sent still arrives; half of the calls count as sent.
    if (life.isOver && this.#parts.random.chance(0.5)) return never()
    if (database.isLocked) await database.turn()
    this.#mayFail(FAILURE_SHARE)
    const result = await call.run()
    this.#mayCrash(CRASH_SHARE)
    await this.#travel()
    if (life.isOver) return never()
    this.#mayFail(FAILURE_SHARE)
    return result
  }

  async #transaction<T>(work: Parameters<Storage['transaction']>[0]): Promise<T> {
    const { database, life, random } = this.#parts
    await this.#travel()
    if (life.isOver) return never()
    this.#mayFail(FAILURE_SHARE)
    try {
      const result = await database.transaction(async () => {
        const worked = await work(this.#inside)
        await this.#travel()
        if (life.isOver && random.chance(0.5)) throw new Crash()
        return worked
      })
      await this.#travel()
      if (life.isOver) return never()
      // The transaction is committed, but the replica gets an error.
      this.#mayFail(FAILURE_SHARE)
      return result as T
    } catch (error) {
      if (life.isOver) return never()
      throw error
    }
  }

  async #callInside(call: StoreCall): Promise<unknown> {
    await this.#travel()
    this.#mayCrash(CRASH_IN_TRANSACTION_SHARE)
    if (this.#parts.life.isOver) throw new Crash()
    this.#mayFail(FAILURE_IN_TRANSACTION_SHARE)
    const result = await call.run()
    await this.#travel()
    if (this.#parts.life.isOver) throw new Crash()
    this.#mayFail(FAILURE_IN_TRANSACTION_SHARE)
    return result
  }

  #travel(): Promise<void> {
    const { timeline, random, isOn } = this.#parts
    const isSlow = isOn('slow-database') && random.chance(SLOW_SHARE)
    return timeline.sleep(random.fraction() * (isSlow ? SLOWLY_MS : 3), 'db')
  }

  #mayFail(share: number): void {
    const { random, isOn } = this.#parts
    if (isOn('database-failure') && random.chance(share)) throw new Problem('unavailable')
  }

  #mayCrash(share: number): void {
    const { random, isOn, crash } = this.#parts
    if (isOn('replica-crash') && random.chance(share)) crash()
  }
}

/** The error of a transaction whose process has crashed. */
class Crash extends Error {}
