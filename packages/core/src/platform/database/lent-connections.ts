import type { EventEmitter } from 'node:events'

/** Members of the driver's connections that its types leave out. */
interface Connection extends EventEmitter {
  /** Whether the server has said that it is ready for the next statement. */
  readonly readyForQuery?: boolean
  /** Gives the connection back to its pool; the pool sets it anew for each loan. */
  release: (destroy?: boolean) => void
  end(): Promise<void>
}

/** Longest loan, in milliseconds: statements end within 5 s, and idle transactions within 10. */
const LOST_MS = 60_000

/**
 * Takes lent connections of a pool back. With Kysely 0.29 and MikroORM 7 a transaction that fails together
 * with its connection (at `begin`, `commit` or `rollback`) never gives it back, and the pool loses a place
 * for good. Therefore a connection that has ended is taken back at once, and one that was not given back
 * within a minute is ended. A connection that is given back while a statement on it is unanswered is closed:
 * after a failover or a network fault every further statement on it would wait for its time limit.
 */
export function watchLent(pool: EventEmitter, lostMs: number = LOST_MS): void {
  const lent = new Map<Connection, NodeJS.Timeout>()
  const known = new WeakSet<Connection>()
  const takeBack = (connection: Connection) => {
    if (!lent.has(connection)) return
    const { release } = connection
    // The borrower may still give it back once more.
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

// The pool does not reuse a connection that has begun to end.
function end(connection: Connection): void {
  connection.end().catch(() => {})
}
