import { Problem } from '@svc/core'
import type { DatabaseOrder, DataOrder } from '@svc/core/adapters'
import { isAppName } from '../apps-folder.ts'
import type { Say } from '../generation.ts'
import type { Runtime } from '../runtime.ts'
import { emptyFolder } from '../volumes.ts'

/** Inputs of the orders about data. */
export interface DataOrdersParts {
  readonly runtime: Pick<Runtime, 'data' | 'dataOf' | 'databases'>
  /** Replaces the processes of an application by new ones of its live release. */
  readonly roll: (app: string, say: Say) => Promise<void>
}

/** Orders about volumes and databases, as the supervisor takes them. */
export class DataOrders {
  readonly #parts: DataOrdersParts

  constructor(parts: DataOrdersParts) {
    this.#parts = parts
  }

  /**
   * Carries out an order about a database, and gives applications that are linked to it their variables anew.
   * @throws Problem `conflict` in words
   */
  async database(order: DatabaseOrder, say: Say): Promise<void> {
    const { databases } = this.#parts.runtime
    if (databases === undefined) throw new Problem('conflict', { detail: 'this host has no databases' })
    await databases.carryOut(order, say, (app) => this.#parts.roll(app, say))
  }

  /** Finishes orders of a supervisor that was killed: applications have the address from before. */
  finish(): void {
    const roll = (app: string) => this.#parts.roll(app, () => {})
    void this.#parts.runtime.databases?.finish(roll).catch(() => {})
    for (const order of this.#parts.runtime.databases?.unfinished ?? [])
      void this.database(order, () => {}).catch(() => {})
  }

  /** Captures the data of an application, brings it back, or tries that out. Returns the last word. */
  async carryOut({ op, app, path = '' }: DataOrder, say: Say): Promise<string> {
    const { data } = this.#parts.runtime
    if (data === undefined) return ''
    if (op !== 'drill' && !isAppName(app))
      throw new Problem('invalid-input', { detail: `${app} is not an application name` })
    const roll = (name: string) => this.#parts.roll(name, say)
    if (op === 'capture') return (await data.capture(app, say)) ?? ''
    if (op === 'captured') data.captured(app)
    if (op === 'restore') await data.restore(app, path, say, roll)
    if (op === 'undo') await data.undo(app, say, roll)
    return op === 'drill' ? data.drill(path) : ''
  }

  /** Says where the data of an application stays that was removed, or removes it. */
  async leave(app: string, withData: boolean, say: Say): Promise<void> {
    const data = this.#parts.runtime.dataOf(app)
    if (withData) for (const folder of data) emptyFolder(folder)
    if (withData) await this.#parts.runtime.databases?.leave(app, say)
    const words = withData ? 'its data is removed' : 'its data stays, until it is removed with its data'
    for (const folder of data) say(`${words}: ${folder}`)
  }

  /** Returns a line for people, without passwords of databases. */
  masked(line: string): string {
    return this.#parts.runtime.databases?.masked(line) ?? line
  }
}
