import { arrayLiteral } from './array-literal.ts'
import type { Statement } from './session.ts'

/** A statement slower than this may run by a plan that was made when a table was small. */
const SUSPECT_MS = 20
/** Plans of a connection are made anew at most so often: 5 ms of PostgreSQL for all of them. */
const RENEW_EVERY_MS = 1000

/**
 * What connections are opened with. Every hot statement finds its rows by an index; a plan that was made when
 * a table was one page long must not read the whole of it when it is long.
 */
export const LANE_OPTIONS = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off'

/** A connection of the driver, as far as it is used here. */
export interface Connection {
  query(config: string | (Statement & { readonly values: unknown[] })): Promise<{ readonly rows: unknown[] }>
  release(destroy?: boolean): void
}

/**
 * Connections for hot statements. Each statement is planned once for all parameters (`LANE_OPTIONS`), since
 * with arrays PostgreSQL keeps planning anew otherwise, 0.3 ms a batch. It also keeps the plan of an empty
 * table while 100,000 rows come in until autovacuum has looked, a minute later (24,000 pages a claim instead
 * of 60, as claims once were written): here a slow statement has the plans of its connection made anew.
 */
export class Lanes {
  readonly #connect: () => Promise<Connection>
  readonly #elapsedMs: () => number
  readonly #renewedAt = new WeakMap<Connection, number>()

  /** `elapsedMs`: milliseconds since some instant; default: the machine's. */
  constructor(connect: () => Promise<Connection>, elapsedMs: () => number = () => performance.now()) {
    this.#connect = connect
    this.#elapsedMs = elapsedMs
  }

  async rows<Row>({ name, text }: Statement, params: readonly unknown[]): Promise<Row[]> {
    const connection = await this.#connect()
    const startedAt = this.#elapsedMs()
    try {
      const values = params.map((value) => (Array.isArray(value) ? arrayLiteral(value) : value))
      const { rows } = await connection.query({ name, text, values })
      this.#giveBack(connection, startedAt)
      return rows as Row[]
    } catch (error) {
      connection.release(!isRefusal(error))
      throw error
    }
  }

  // The answer does not wait for the plans.
  #giveBack(connection: Connection, startedAt: number): void {
    const now = this.#elapsedMs()
    const renewedAt = this.#renewedAt.get(connection) ?? Number.NEGATIVE_INFINITY
    if (now - startedAt < SUSPECT_MS || now - renewedAt < RENEW_EVERY_MS) {
      connection.release()
      return
    }
    this.#renewedAt.set(connection, now)
    connection.query('discard plans').then(
      () => connection.release(),
      () => connection.release(true),
    )
  }
}

const RESULT_CHANGED = '0A000'

// After a refusal the connection is as good as before: the pool's own `query` would open another, 5 ms for
// each bad item. Not so when a migration changed what a prepared statement returns: that one fails until it
// is prepared anew.
function isRefusal(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { severity, code } = error as { severity?: unknown; code?: unknown }
  return severity === 'ERROR' && code !== RESULT_CHANGED
}
