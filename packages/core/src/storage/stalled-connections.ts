/** What the driver's connections have and its types do not say. */
interface Connection {
  /** Whether the server has said that it is ready for the next statement. */
  readonly readyForQuery?: boolean
  end(): Promise<void>
}

/**
 * Closes a connection that is given back while a statement on it is still unanswered; its pool takes no connection back
 * that has begun to end. Without it a database that vanished without a word (a failover, a broken network) leaves the
 * pool full of connections on which every further statement waits for its time limit.
 */
export function closeIfStalled(released: object): void {
  const connection = released as Connection
  if (connection.readyForQuery === false) connection.end().catch(() => {})
}
