import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql'
import type { SqlEntityManager } from '@mikro-orm/sql'
import pg from 'pg'
import { present } from '../../kernel/present.ts'
import { SIGNAL_CHANNEL } from '../signals/signal.ts'
import type { Pooling } from '../storage/storage.ts'
import { clientOf, type DatabaseServer, serverOf, sessionServer } from './database-server.ts'
import { LANE_OPTIONS, Lanes } from './lanes.ts'
import { watchLent } from './lent-connections.ts'
import { type MigrationStep, RUNNER_TABLE } from './migrations/index.ts'
import { WITHOUT_LIMITS } from './one-connection.ts'
import { stopAtPanic } from './pglite-panic.ts'
import { keepStack } from './pglite-stack.ts'
import type { Statement } from './session.ts'
import { poolingOf, STATEMENT_LIMITS, sessionGuard } from './session-try.ts'
import { signalLines } from './signal-lines.ts'
import { retryDeadlock, retryStalePlan } from './statement-retry.ts'

/** The driver of a database: the only difference between PostgreSQL and PGlite for the rest of storage. */
export interface Driver {
  em(): SqlEntityManager
  /** Runs a statement outside any transaction, prepared by name where the driver can. */
  rows<Row>(statement: Statement, params: readonly unknown[]): Promise<Row[]>
  /** Runs a hot statement on lanes apart from all other statements, planned once for all parameters. */
  hotRows<Row>(statement: Statement, params: readonly unknown[]): Promise<Row[]>
  /** Hot statements of one kind that run at once. */
  readonly lanes: number
  /** Runs a statement apart from the general pool, so that a busy pool does not look like a lost database. */
  probe<Row>(text: string): Promise<Row[]>
  /** Hears signals until it is disposed; `lost` is called when its connection breaks. */
  hearSignals(heard: (text: string) => void, lost: () => void): Promise<AsyncDisposable>
  connections(): Readonly<Record<'used' | 'idle' | 'waiting', number>> | undefined
  /**
   * Applies the missing steps of `list`, each in its own transaction, without the time limits of ordinary
   * statements.
   */
  migrate(list: readonly MigrationStep[]): Promise<void>
  close(): Promise<void>
}

/** A driver of a server. */
export interface PostgresDriver extends Driver {
  /** Tries now which effect poolers have on its connections. */
  pooling(): Promise<Pooling>
}

/** A driver of an embedded database. */
export interface EmbeddedDriver extends Driver {
  /** The whole data directory, as `snapshot` takes it. */
  dump(): Promise<Blob>
  /** Aborted when the database has given up: it answers nothing until it is opened again. */
  readonly lost: AbortSignal
}

// The ORM must not connect at once to look for the database: the first statement finds out whether it is
// there.
const SHARED = { discovery: { warnWhenNoEntities: false }, ensureDatabase: false, debug: false } as const

// The imports of the migrator take 100 ms: only a migration loads them.
const migrating = async (list: readonly MigrationStep[]) => {
  const { Migrator, migrationsList } = await import('./migration-class.ts')
  const migrations = {
    migrationsList: migrationsList(list),
    tableName: RUNNER_TABLE,
    snapshot: false,
    silent: true,
  }
  return {
    ...SHARED,
    // A copy: init() writes into it.
    discovery: { ...SHARED.discovery },
    extensions: [Migrator],
    entities: [],
    migrations: { ...migrations, allOrNothing: false },
  }
}

// A request that gets no connection within two seconds is answered 503; a statement that runs longer than
// five seconds is a fault.
const SESSION_LIMITS = {
  ...STATEMENT_LIMITS,
  connectionTimeoutMillis: 2000,
  // A server that vanished cannot report a timeout: then the client has to.
  query_timeout: 7000,
  keepAlive: true,
  application_name: 'svc',
}

// Dates and times stay PostgreSQL's text, as in the ORM, so that all rows are read in one way.
const TIME_TYPES = [1082, 1114, 1184, 1186]

// A probe is asked again soon.
const PROBE_LIMITS = { statement_timeout: 2000, query_timeout: 3000 }

function timesAsText(): pg.TypeOverrides {
  const types = new pg.TypeOverrides()
  for (const oid of TIME_TYPES) types.setTypeParser(oid, (text) => text)
  return types
}

const LANE_LIMITS = { ...SESSION_LIMITS, max: 4, options: LANE_OPTIONS }

/** Connects to PostgreSQL; the pool opens its connections when they are needed. */
export async function postgresDriver(
  named: string | DatabaseServer,
  poolSize: number,
): Promise<PostgresDriver> {
  const server = serverOf(named)
  const direct = sessionServer(server)
  // The ORM would parse an address itself, without its settings of TLS and of sockets.
  const Client = clientOf(server)
  const SessionClient = clientOf(direct)
  const verify = sessionGuard(server)
  // Without init(), which loads the migrator and a file finder at every start, some 100 ms.
  const orm = new PostgresOrm({
    ...SHARED,
    entities: [],
    clientUrl: server.url,
    pool: { min: 0, max: poolSize },
    driverOptions: { ...SESSION_LIMITS, Client, verify },
  })
  const pool = await orm.em.getConnection().getNativeClient()
  watchLent(pool)
  const hot = new pg.Pool({ Client, types: timesAsText(), verify, ...LANE_LIMITS })
  hot.on('error', () => {})
  // A connection that breaks reports it to its statement and as an event, which needs a listener.
  hot.on('connect', (client) => client.on('error', () => {}))
  const lanes = new Lanes(() => hot.connect())
  const probes = new pg.Pool({ Client, max: 1, verify, ...SESSION_LIMITS, ...PROBE_LIMITS })
  probes.on('error', () => {})
  const lines = signalLines(SessionClient)
  return {
    em: () => orm.em.fork(),
    rows: <Row>({ name, text }: Statement, params: readonly unknown[]) =>
      retryDeadlock(() =>
        retryStalePlan(
          poolSize,
          async () => (await pool.query({ name, text, values: [...params] })).rows as Row[],
        ),
      ),
    lanes: 2,
    hotRows: (statement, params) =>
      retryDeadlock(() => retryStalePlan(LANE_LIMITS.max, () => lanes.rows(statement, params))),
    probe: async <Row>(text: string) => (await probes.query(text)).rows as Row[],
    hearSignals: lines.open,
    connections: () => ({
      used: pool.totalCount - pool.idleCount + hot.totalCount - hot.idleCount,
      idle: pool.idleCount + hot.idleCount,
      waiting: pool.waitingCount + hot.waitingCount,
    }),
    migrate: async (list) => {
      const own = await PostgresOrm.init({
        ...(await migrating(list)),
        clientUrl: direct.url,
        pool: { min: 0, max: 1 },
        driverOptions: {
          Client: SessionClient,
          onConnect: (client: pg.ClientBase) => client.query(WITHOUT_LIMITS),
        },
      })
      await own.migrator.up().finally(() => own.close(true))
    },
    pooling: () => poolingOf(server),
    close: async () => {
      await orm.close(true)
      // The ORM closes its pool only if it has run a statement itself; most of ours go to the pool directly.
      const own = pool.ending ? undefined : pool.end()
      await Promise.all([own, hot.end(), probes.end(), lines.close()])
    },
  }
}

/** The place of an embedded database: a folder, or memory, there optionally from the snapshot of another. */
export interface EmbeddedSource {
  readonly dataDir?: string
  readonly snapshot?: Blob
}

/** Opens PostgreSQL inside the process. It has one connection; statements queue. */
export async function pgliteDriver(source: EmbeddedSource): Promise<EmbeddedDriver> {
  const { dataDir } = source
  // Loaded only for an embedded database: a service on PostgreSQL starts some milliseconds earlier.
  const { PGlite } = await import('@electric-sql/pglite')
  const { MikroORM: PgliteOrm } = await import('@mikro-orm/pglite')
  const { pgliteStatements } = await import('./pglite-statements.ts')
  const { dataDir: emptyCluster } = await import('@electric-sql/pglite-prepopulatedfs')
  // A finished initdb, as files: running it in WebAssembly takes several times as long as unpacking them.
  const isNew = dataDir === undefined || !existsSync(join(dataDir, 'PG_VERSION'))
  const opened = await PGlite.create({
    ...present('dataDir', dataDir),
    ...(isNew ? { loadDataDir: source.snapshot ?? (await emptyCluster()) } : {}),
    // The default of 128 MB takes half of the time of opening to be cleared, and stays resident.
    startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'],
    parsers: Object.fromEntries(TIME_TYPES.map((oid) => [oid, (text: string) => text])),
  })
  const pglite = keepStack(opened)
  const lost = stopAtPanic(pglite)
  const statements = pgliteStatements(pglite)
  const lanes = new Lanes(async () => statements)
  const orm = new PgliteOrm({
    ...SHARED,
    entities: [],
    dbName: 'postgres',
    driverOptions: { pglite },
  })
  const query = async <Row>(text: string, params: readonly unknown[]) =>
    (await pglite.query<Row>(text, [...params])).rows
  return {
    em: () => orm.em.fork(),
    rows: ({ text }, params) => query(text, params),
    // A second statement would only wait for the first, and carry fewer items.
    lanes: 1,
    hotRows: (statement, params) => retryStalePlan(1, () => lanes.rows(statement, params)),
    probe: (text) => query(text, []),
    hearSignals: async (heard) => {
      await pglite.exec(`listen ${SIGNAL_CHANNEL}`)
      const end = pglite.onNotification((_, text) => heard(text))
      return { [Symbol.asyncDispose]: async () => end() }
    },
    connections: () => undefined,
    dump: () => pglite.dumpDataDir('none'),
    lost,
    migrate: async (list) => {
      const own = await PgliteOrm.init({
        ...(await migrating(list)),
        dbName: 'postgres',
        driverOptions: { pglite },
      })
      await own.migrator.up().finally(() => own.close(true))
    },
    close: async () => {
      await orm.close(true)
      await pglite.close()
    },
  }
}

/**
 * Runs `work` while this process alone holds the advisory lock `key` of the database. Waits while another
 * process holds it; with `wait` false it then does nothing.
 */
export async function withAdvisoryLock<T>(
  server: string | DatabaseServer,
  { key, wait }: { key: number; wait: boolean },
  work: () => Promise<T>,
): Promise<T | undefined> {
  const Client = clientOf(sessionServer(serverOf(server)))
  const client = new Client({
    connectionTimeoutMillis: 5000,
    application_name: 'svc migrate',
  })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(WITHOUT_LIMITS)
    const text = wait
      ? 'select true as held from pg_advisory_lock($1)'
      : 'select pg_try_advisory_lock($1) as held'
    const { rows } = await client.query<{ held: boolean }>(text, [key])
    return rows[0]?.held ? await work() : undefined
  } finally {
    await client.end()
  }
}
