import { Problem } from '@svc/core'
import type { DatabaseOrder, HostDatabase } from '@svc/core/adapters'
import type { DatabasesParts } from './databases.ts'

/** Gives the live release of an application its variables anew. */
export type Roll = (app: string) => Promise<void>

/** A database by its name. */
export type NamedDatabase = Pick<DatabaseOrder, 'name' | 'engine'>

/** An undo that was cut off for longer than this is none that is given again. */
const AGAIN_S = 3_600

/** Databases that change places with those from before, noted first: one that is cut off comes to its end. */
export class Swaps {
  readonly #parts: Pick<DatabasesParts, 'file' | 'engines' | 'clock'>

  constructor(parts: Pick<DatabasesParts, 'file' | 'engines' | 'clock'>) {
    this.#parts = parts
  }

  /**
   * Puts the database that lies aside in the place of the other one; applications may get a new address.
   * @throws Problem `conflict` when none lies aside
   */
  async swap(database: NamedDatabase, op: 'restore' | 'undo', roll: Roll): Promise<void> {
    const { name, engine } = database
    const { aside } = await this.#parts.engines[engine].sides(name)
    if (aside === undefined)
      throw new Problem('conflict', { detail: `no database from before a restore of ${name} is kept` })
    await this.lead(database, aside, op, roll)
  }

  /** Puts the database that is known by a word in use. */
  async lead({ name, engine }: NamedDatabase, to: string, op: 'restore' | 'undo', roll: Roll): Promise<void> {
    const { engines, file } = this.#parts
    const address = () => JSON.stringify(engines[engine].variables(name, '', ''))
    const before = address()
    await this.#note(name, { to, op, at: this.#now() })
    try {
      await engines[engine].swap(name, to)
      if (address() === before) return
      for (const { app } of file.get(name)?.links ?? []) await roll(app)
    } finally {
      await this.#note(name, undefined)
    }
  }

  /** Finishes swaps of a supervisor that was killed. The applications may have an address from before. */
  async finish(roll: Roll): Promise<void> {
    for (const [name, { engine, moving, links }] of this.#parts.file.all) {
      if (moving === undefined) continue
      await this.#parts.engines[engine].swap(name, moving.to)
      if (moving.op !== 'undo') await this.#note(name, undefined)
      for (const { app } of links) await roll(app)
    }
  }

  /** Whether an order is an undo that was finished after it had been cut off: again would take it back. */
  async wasUndone({ name, op }: DatabaseOrder): Promise<boolean> {
    const moving = this.#parts.file.get(name)?.moving
    if (moving === undefined) return false
    await this.#note(name, undefined)
    return op === 'undo' && moving.op === 'undo' && this.#now() - moving.at < AGAIN_S
  }

  async #note(name: string, moving: HostDatabase['moving']): Promise<void> {
    const known = this.#parts.file.get(name)
    if (known === undefined) return
    const { moving: _, ...database } = known
    await this.#parts.file.put(name, moving === undefined ? database : { ...database, moving })
  }

  #now(): number {
    return Math.floor(this.#parts.clock.now().getTime() / 1000)
  }
}
