import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { migrate } from '@svc/core/sql'
import pg from 'pg'
import { WITNESS_TABLES } from '../witness/witness-tables.ts'
import type { ChaosDatabase, Query, Row, ServerFaults } from './database.ts'
import { PostgresServer } from './postgres-server.ts'

const MAX_CONNECTIONS = 60
const REPLICAS = 2

/** Starts a PostgreSQL that two replicas share. */
export async function postgresDatabase(
  folder: string,
  settings: Readonly<Record<string, string | number>>,
): Promise<ChaosDatabase> {
  const server = await PostgresServer.start({ max_connections: MAX_CONNECTIONS, ...settings })
  try {
    await migrate(server.url)
    const examine = <T>(work: (query: Query) => Promise<T>) => withClient(server.url, work)
    await examine(async (query) => {
      for (const text of WITNESS_TABLES) await query(text)
    })
    const dataDir = (replica: number) => join(folder, `replica${replica}`)
    for (let replica = 0; replica < REPLICAS; replica += 1) await mkdir(dataDir(replica), { mode: 0o700 })
    return {
      replicas: REPLICAS,
      env: { DATABASE_URL: server.url },
      serverFaults: faultsOf(server),
      dataDir,
      examine,
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    }
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
  }
}

/** Runs `work` with a connection of the harness. */
export async function withClient<T>(url: string, work: (query: Query) => Promise<T>): Promise<T> {
  const client = await connected(url)
  try {
    return await work(
      async <R extends Row>(text: string, params: readonly unknown[] = []) =>
        (await client.query(text, [...params])).rows as R[],
    )
  } finally {
    await client.end().catch(() => {})
  }
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 3000,
    application_name: 'chaos',
  })
  client.on('error', () => {})
  await client.connect()
  return client
}

// A fault may fail because of another one, for example when the server is down: that is as good.
const bestEffort = async (work: Promise<unknown>): Promise<void> => {
  await work.catch(() => {})
}

function faultsOf(server: PostgresServer): ServerFaults {
  const { url } = server
  return {
    crash: (signal) => server.crash(signal),
    exhaust: async (milliseconds) => {
      const clients: pg.Client[] = []
      for (let taken = 0; taken < MAX_CONNECTIONS; taken += 1) {
        const client = await connected(url).catch(() => undefined)
        if (client === undefined) break
        clients.push(client)
        void bestEffort(client.query('select pg_sleep($1)', [milliseconds / 1000]))
      }
      await pause(milliseconds)
      await Promise.all(clients.map((client) => bestEffort(client.end())))
    },
    lock: (milliseconds) =>
      bestEffort(
        withClient(url, async (query) => {
          await query('begin')
          await query('lock table jobs in access exclusive mode')
          await query('select pg_sleep($1)', [milliseconds / 1000])
          await query('rollback')
        }),
      ),
    disconnect: () =>
      bestEffort(
        withClient(url, (query) =>
          query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'svc%'`),
        ),
      ),
  }
}
