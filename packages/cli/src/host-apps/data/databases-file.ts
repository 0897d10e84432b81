import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '@svc/core'
import { type HostDatabase, type HostDatabases, readHostDatabases } from '@svc/core/adapters'
import { writeDurably } from '../../agent/state/durable-file.ts'

const FILE = 'databases.json'

/** The record of the databases of a host, with their passwords: mode 0600, written before a change counts. */
export class DatabasesFile {
  readonly #path: string
  #current: HostDatabases

  private constructor(path: string, current: HostDatabases) {
    this.#path = path
    this.#current = current
  }

  /**
   * Reads the record in a supervisor's folder.
   * @throws Problem `conflict` when it cannot be read: to begin anew would forget passwords
   */
  static async open(folder: string): Promise<DatabasesFile> {
    const path = join(folder, FILE)
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (text === undefined) return new DatabasesFile(path, { version: 1, databases: {} })
    try {
      return new DatabasesFile(path, readHostDatabases(JSON.parse(text)))
    } catch (error) {
      const why = error instanceof Error ? error.message : 'damaged'
      throw new Problem('conflict', {
        detail: `${path} cannot be read: ${why}; put it right, or move it away`,
      })
    }
  }

  get all(): readonly (readonly [string, HostDatabase])[] {
    return Object.entries(this.#current.databases)
  }

  get(name: string): HostDatabase | undefined {
    return this.#current.databases[name]
  }

  /** Puts a database in the place of the one of this name; undefined: it is forgotten. */
  async put(name: string, database: HostDatabase | undefined): Promise<void> {
    const others = this.all.filter(([each]) => each !== name)
    const databases = Object.fromEntries([...others, ...(database ? [[name, database] as const] : [])])
    const next = { ...this.#current, databases }
    await writeDurably(this.#path, `${JSON.stringify(next, undefined, 2)}\n`)
    this.#current = next
  }
}
