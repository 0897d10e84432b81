import type { Statement } from './session.ts'
import { arrayLiteral } from './values.ts'

/** A statement slower than this, in milliseconds, may run by a plan that was made when a table was small. */
const SUSPECT_MS = 20
/** Shortest time between two renewals of a connection's plans, in milliseconds: one costs PostgreSQL 5 ms. */
const RENEW_EVERY_MS = 1000

/**
 * Options of the connections. Every hot statement finds its rows by an index: a plan that was made when a
 * table was one page long must not scan all of it later.
 */
export const LANE_OPTIONS = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off'

/** A connection of the driver, as far as it is used here. */
export interface LaneClient {
  query(config: string | (Statement & { readonly values: unknown[] })): Promise<{ readonly rows: unknown[] }>
  release(destroy?: boolean): void
}

/**
 * Connections for hot statements. Each statement is planned once for all parameters (`LANE_OPTIONS`), since
 * with arrays PostgreSQL would plan each batch anew, 0.3 ms each. A kept plan may be one for an empty table:
 * a slow statement therefore discards the plans of its connection (decision 13).
 */
export class Lanes {
  readonly #connect: () => Promise<LaneClient>
  readonly #elapsedMs: () => number
  readonly #renewedAt = new WeakMap<LaneClient, number>()

  /** `elapsedMs`: milliseconds since some instant; default: the machine's. */
  constructor(connect: () => Promise<LaneClient>, elapsedMs: () => number = () => performance.now()) {
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

  // The answer does not wait until the plans are discarded.
  #giveBack(connection: LaneClient, startedAt: number): void {
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

// A refused statement leaves its connection usable; the pool's own `query` would open another, 5 ms for each
// bad item. The exception is a prepared statement whose columns a migration changed: it fails until it is
// prepared anew.
function isRefusal(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { severity, code } = error as { severity?: unknown; code?: unknown }
  return severity === 'ERROR' && code !== RESULT_CHANGED
}
