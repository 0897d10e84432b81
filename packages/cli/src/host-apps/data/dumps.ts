import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'

/** How long dumps, and databases from before a restore, are kept. */
export const KEPT_DAYS = 7

const DAY_MS = 86_400_000
const NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[a-z]{1,16}$/

/** A dump that is kept. */
export interface KeptDump {
  readonly name: string
  readonly path: string
  readonly bytes: number
}

/** The instant of a dump by its name. */
const instantOf = (name: string): number => {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? []
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

const stamp = (now: Date): string => now.toISOString().replace(/[-:]|\.\d+/g, '')

/** Dumps of the databases of a host: a folder a database, for root alone. */
export class Dumps {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Writes a dump, whole or not at all. `why`: one word of its name. */
  async write(
    database: string,
    why: string,
    now: Date,
    fill: (to: number) => Promise<void>,
  ): Promise<KeptDump> {
    const folder = join(this.#folder, database)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const name = `${stamp(now)}-${why}`
    const part = join(folder, `${name}.part`)
    rmSync(part, { force: true })
    const file = openSync(part, 'wx', 0o600)
    try {
      await fill(file)
      fsyncSync(file)
    } catch (error) {
      rmSync(part, { force: true })
      throw error
    } finally {
      closeSync(file)
    }
    renameSync(part, join(folder, name))
    return this.#kept(database, name)
  }

  /** The dumps of a database, newest first. */
  list(database: string): readonly KeptDump[] {
    const folder = join(this.#folder, database)
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => NAME.test(name)) : []
    return names
      .sort()
      .reverse()
      .map((name) => this.#kept(database, name))
  }

  /** Removes dumps that are too old, and parts of dumps: call it while none is written. */
  expire(now: Date): void {
    for (const database of existsSync(this.#folder) ? readdirSync(this.#folder) : [])
      for (const name of readdirSync(join(this.#folder, database))) {
        const age = now.getTime() - instantOf(name)
        if (!(age <= KEPT_DAYS * DAY_MS)) rmSync(join(this.#folder, database, name), { force: true })
      }
  }

  #kept(database: string, name: string): KeptDump {
    const path = join(this.#folder, database, name)
    return { name, path, bytes: statSync(path).size }
  }
}
