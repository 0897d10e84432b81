import { clientOf, type DatabaseServer } from './database-server.ts'
import type { EmbeddedDriver } from './orm.ts'

/** One connection. The caller begins and ends its transactions. No time limit ends its statements. */
export interface OneConnection extends AsyncDisposable {
  rows<Row>(text: string, params?: readonly unknown[]): Promise<Row[]>
}

/** Longest wait for a connection, in milliseconds. */
const CONNECT_MS = 5000

/** Connects to a server; `name` is shown in the server's list of connections. */
export async function serverConnection(server: DatabaseServer, name: string): Promise<OneConnection> {
  const Client = clientOf(server)
  const client = new Client({
    connectionTimeoutMillis: CONNECT_MS,
    application_name: name,
    keepAlive: true,
  })
  client.on('error', () => {})
  await client.connect()
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
