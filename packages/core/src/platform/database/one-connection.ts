import { clientOf, type DatabaseServer, sessionServer } from './database-server.ts'
import type { EmbeddedDriver } from './orm.ts'
import { requireSessions } from './session-try.ts'

/** One connection. The caller begins and ends its transactions. No time limit ends its statements. */
export interface OneConnection extends AsyncDisposable {
  rows<Row>(text: string, params?: readonly unknown[]): Promise<Row[]>
}

/** Longest wait for a connection, in milliseconds. */
const CONNECT_MS = 5000

/** Lifts limits that a role may have for the sake of the service, for work that takes its time. */
export const WITHOUT_LIMITS =
  'set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0'

/** Connects to a server; `name` is shown in the server's list of connections. */
export async function serverConnection(server: DatabaseServer, name: string): Promise<OneConnection> {
  await requireSessions(server)
  const Client = clientOf(sessionServer(server))
  const client = new Client({
    connectionTimeoutMillis: CONNECT_MS,
    application_name: name,
    keepAlive: true,
  })
  client.on('error', () => {})
  await client.connect()
  await client.query(WITHOUT_LIMITS)
  return {
    rows: async <Row>(text: string, params: readonly unknown[] = []) =>
      (await client.query(text, [...params])).rows as Row[],
    [Symbol.asyncDispose]: () => client.end(),
  }
}

/** The connection of an embedded database that nobody else uses; disposing it closes the database. */
export const embeddedConnection = (driver: EmbeddedDriver): OneConnection => ({
  rows: (text, params = []) => driver.rows({ name: '', text }, params),
  [Symbol.asyncDispose]: () => driver.close(),
})
