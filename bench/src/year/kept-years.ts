import { hash } from 'node:crypto'
import { lstatSync, mkdirSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { migrate, SCHEMA } from '@svc/core/sql'
import { withClient } from '../fleet.ts'
import { type Postgres, startPostgres } from '../postgres.ts'
import { fillYear } from './fill-year.ts'
import { type YearSizes, yearRows } from './year-rows.ts'

/** The folder that keeps filled databases unless told otherwise. */
export const keptFolder = (): string => join(tmpdir(), `svc-bench-year-${userInfo().username}`)

/** Others can enter, since PostgreSQL may run as another user. */
const FOLDER_MODE = 0o711

/** A PostgreSQL that keeps filled databases between runs. */
export class KeptYears implements AsyncDisposable {
  readonly #postgres: Postgres
  readonly #progress: (line: string) => void
  readonly #copies: string[] = []

  private constructor(postgres: Postgres, progress: (line: string) => void) {
    this.#postgres = postgres
    this.#progress = progress
  }

  /**
   * Starts PostgreSQL in a folder.
   * @throws Error when the folder belongs to another user
   */
  static async open(folder: string, progress: (line: string) => void): Promise<KeptYears> {
    mkdirSync(folder, { recursive: true, mode: FOLDER_MODE })
    const { uid } = lstatSync(folder)
    if (uid !== process.getuid?.())
      throw new Error(`${folder} belongs to somebody else: name another with --keep`)
    return new KeptYears(await startPostgres({}, join(folder, 'postgres')), progress)
  }

  get version(): string {
    return this.#postgres.version
  }

  /** Returns the address of a new copy of a year, which is filled first if it is not kept. */
  async copy(name: string, sizes: YearSizes): Promise<string> {
    const kept = `${name}_${hash('sha256', [SCHEMA, ...yearRows(sizes)].join('\n')).slice(0, 12)}`
    if (!(await this.#has(kept))) await this.#fill(kept, name, sizes)
    const copy = `${kept}_copy`
    await this.#postgres.query(`drop database if exists ${copy}`)
    const url = await this.#postgres.database(copy, kept)
    this.#copies.push(copy)
    await withClient(url, async (client) => {
      // The hosts of a year that was filled yesterday are alive today.
      await client.query(`update agents set last_heartbeat = now() - interval '5 s'`)
      await client.query('vacuum analyze agents')
    })
    return url
  }

  async #has(name: string): Promise<boolean> {
    const found = await this.#postgres.query('select 1 from pg_database where datname = $1', [name])
    return found.length > 0
  }

  async #fill(kept: string, name: string, sizes: YearSizes): Promise<void> {
    // A year of another schema, or of other rows, is of no use any more.
    const old = await this.#postgres.query<{ datname: string }>(
      'select datname from pg_database where datname ~ $1',
      [`^${name}_[0-9a-f]{12}`],
    )
    for (const { datname } of old) await this.#postgres.query(`drop database ${datname}`)
    const start = performance.now()
    const making = `${kept}_making`
    await this.#postgres.query(`drop database if exists ${making}`)
    const url = await this.#postgres.database(making)
    await migrate(url)
    await fillYear(url, sizes)
    await this.#postgres.query(`alter database ${making} rename to ${kept}`)
    const seconds = Math.round((performance.now() - start) / 1000)
    const [size] = await this.#postgres.query<{ mib: number }>(
      'select (pg_database_size($1) / 1048576)::float8 as mib',
      [kept],
    )
    this.#progress(`filled ${kept} in ${seconds} s: ${Math.round(size?.mib ?? 0)} MiB`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const copy of this.#copies)
      await this.#postgres.query(`drop database if exists ${copy} with (force)`)
    await this.#postgres[Symbol.asyncDispose]()
  }
}
