import { rmSync } from 'node:fs'
import { chmod, mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoadRequest, StreamOutcome } from './load/load.ts'
import { PartProcess } from './part-process.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { slowSyncLibrary } from './slow-sync.ts'

const LOAD = new URL('load/load-part.ts', import.meta.url)

/**
 * The resources of one scenario, each made on first use: a PostgreSQL of its own, so that no rows of another
 * scenario are vacuumed meanwhile, load generators and a folder.
 */
export class Bench implements AsyncDisposable {
  readonly isSmall: boolean
  #postgres: Promise<Postgres> | undefined
  readonly #loads = new Map<string, Promise<PartProcess>>()
  #folder: Promise<string> | undefined
  #root: string | undefined
  #names = 0
  readonly #clear = () => {
    if (this.#root !== undefined) rmSync(this.#root, { recursive: true, force: true })
  }

  /** `isSmall`: small data sets, which show only whether a scenario works. */
  constructor({ isSmall = false }: { readonly isSmall?: boolean } = {}) {
    this.isSmall = isSmall
  }

  /**
   * Makes the disk of the PostgreSQL slow; to be called before the PostgreSQL starts.
   * @throws Skipped when that cannot be done here
   */
  async slowDisk(): Promise<void> {
    const library = await slowSyncLibrary(await this.folder())
    this.#postgres ??= startPostgres({ LD_PRELOAD: library })
  }

  postgres(): Promise<Postgres> {
    this.#postgres ??= startPostgres()
    return this.#postgres
  }

  /** The PostgreSQL, if any scenario asked for one. */
  startedPostgres(): Promise<Postgres> | undefined {
    return this.#postgres
  }

  /** Makes an empty database for a variant and returns its URL. */
  async database(): Promise<string> {
    this.#names += 1
    return (await this.postgres()).database(`bench_${this.#names}`)
  }

  /** Makes an empty folder, which is deleted at the end. */
  async folder(): Promise<string> {
    this.#folder ??= mkdtemp(join(tmpdir(), 'svc-bench-'))
    const root = await this.#folder
    // PostgreSQL may run as another user.
    await chmod(root, 0o755)
    process.off('exit', this.#clear).on('exit', this.#clear)
    this.#names += 1
    const folder = join(root, String(this.#names))
    this.#root = root
    await mkdir(folder)
    return folder
  }

  /** Starts the part of a module below `parts/` in a process of its own. */
  part(module: string, options: unknown, flags: readonly string[] = []): Promise<PartProcess> {
    return PartProcess.start(new URL(`parts/${module}.ts`, import.meta.url), options, flags)
  }

  /**
   * Sends requests from the process of a load generator. A scenario that measures one stream beside a crowd
   * names a second generator for it.
   */
  async send(request: LoadRequest, generator = 'crowd'): Promise<readonly StreamOutcome[]> {
    const load = this.#loads.get(generator) ?? PartProcess.start(LOAD, null)
    this.#loads.set(generator, load)
    return (await load).ask<readonly StreamOutcome[]>('run', request)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const load of this.#loads.values()) await (await load.catch(() => undefined))?.stop()
    await (await this.#postgres?.catch(() => undefined))?.[Symbol.asyncDispose]()
    process.off('exit', this.#clear)
    this.#clear()
  }
}
