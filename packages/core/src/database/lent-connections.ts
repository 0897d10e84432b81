import type { EventEmitter } from 'node:events'

/** What the driver's connections have and its types do not say. */
interface Connection extends EventEmitter {
  /** Whether the server has said that it is ready for the next statement. */
  readonly readyForQuery?: boolean
  /** Gives it back to its pool; made anew for each loan. */
  release: (destroy?: boolean) => void
  end(): Promise<void>
}

/**
 * No work here holds a connection for so long: statements end within 5 s, and idle transactions within 10.
 */
const LOST_MS = 60_000

/**
 * Watches over what a pool lends. A transaction that fails together with its connection (at `begin`, `commit`
 * or `rollback`) never gives it back: neither Kysely 0.29 nor MikroORM 7 does, so that each of them would
 * cost the pool a place for good. So a connection that has ended is taken back at once, and one that nobody
 * gave back within a minute is ended. One that is given back while a statement on it is still unanswered is
 * closed: after a database vanished without a word (a failover, a broken network) every further statement on
 * it would wait for its time limit.
 */
export function watchLent(pool: EventEmitter, lostMs: number = LOST_MS): void {
  const lent = new Map<Connection, NodeJS.Timeout>()
  const known = new WeakSet<Connection>()
  const takeBack = (connection: Connection) => {
    if (!lent.has(connection)) return
    const { release } = connection
    // Whoever still holds it may give it back once more.
    connection.release = () => {}
    release(true)
  }
  pool.on('acquire', (connection: Connection) => {
    lent.set(connection, setTimeout(() => end(connection), lostMs).unref())
    if (known.has(connection)) return
    known.add(connection)
    connection.once('end', () => takeBack(connection))
  })
  pool.on('release', (_error: unknown, connection: Connection) => {
    clearTimeout(lent.get(connection))
    lent.delete(connection)
    if (connection.readyForQuery === false) end(connection)
  })
}

// Its pool takes no connection back that has begun to end.
function end(connection: Connection): void {
  connection.end().catch(() => {})
}
