import { setTimeout as sleep } from 'node:timers/promises'
import type { Storage } from '@svc/core'
import { openStorage } from '@svc/core/sql'
import { migratedDatabase, type TestDatabase } from '@svc/testing'
import pg from 'pg'
import { Lanes } from '../../../src/platform/database/lanes.ts'
import type { Rows } from '../../../src/platform/database/session.ts'
import { othersEnded } from '../database/others-ended.ts'
import { SERVER } from './backends.ts'

/** Counts of a table's updates, and of the updates that changed no index. */
export interface Updates {
  readonly updates: number
  readonly hot: number
}

/** A migrated database on the server of the run, with a connection to inspect it. */
export class SqlScene implements AsyncDisposable {
  readonly client: pg.Client
  readonly #database: TestDatabase
  readonly #others: pg.Client[] = []

  private constructor(database: TestDatabase, client: pg.Client) {
    this.#database = database
    this.client = client
  }

  /** `options`: options of the connection. */
  static async open(options?: string): Promise<SqlScene> {
    const database = await migratedDatabase(SERVER)
    const client = new pg.Client({ connectionString: database.url, ...(options && { options }) })
    await client.connect()
    return new SqlScene(database, client)
  }

  get url(): string {
    return this.#database.url
  }

  /** Opens another connection, which ends with the scene. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url })
    this.#others.push(client)
    await client.connect()
    return client
  }

  /**
   * Returns a runner of statements on their own connection, as the product runs hot ones: arrays as text,
   * instants as text.
   */
  async hotRows(): Promise<Rows> {
    const connection = await this.connect()
    connection.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => text)
    const lanes = new Lanes(async () => ({
      query: (config) => connection.query(config as never),
      release: () => {},
    }))
    return (statement, params) => lanes.rows(statement, params ?? [])
  }

  /**
   * Runs `work` on a storage of its own and returns its updates of `table`, once there are at least `least`.
   * A connection that stays open would publish its counts ten seconds after its last statement. Older
   * transactions of other suites, which keep pages full, have ended when the work begins.
   */
  async updatesBy(work: (storage: Storage) => Promise<void>, table: string, least: number): Promise<Updates> {
    await othersEnded(this.client)
    const before = await this.#updatesOf(table)
    {
      await using storage = await openStorage({ url: this.url })
      await work(storage)
    }
    for (;;) {
      const after = await this.#updatesOf(table)
      const updates = after.updates - before.updates
      if (updates >= least) return { updates, hot: after.hot - before.hot }
      await sleep(10)
    }
  }

  async #updatesOf(table: string): Promise<Updates> {
    const { rows } = await this.client.query<Updates>(
      `select n_tup_upd::int as updates, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = $1`,
      [table],
    )
    return rows[0] ?? { updates: 0, hot: 0 }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of [...this.#others, this.client]) await client.end()
    await this.#database[Symbol.asyncDispose]()
  }
}
