import type { Fault } from '../fault.ts'

const TRY = 'packages/core/src/platform/database/session-try.ts'
const CORE = ['packages/core/test/platform/database/pooling.test.ts']

export const faults: readonly Fault[] = [
  {
    name: 'pooling: a statement after the signal is taken for an idle connection',
    file: TRY,
    find: '  const late = setTimeout(() => resolve(false), HEARD_MS)\n',
    replace:
      '  const late = setTimeout(() => resolve((async () => (await listener.query(PID)).rows.length > 0)()), HEARD_MS)\n',
    suites: CORE,
  },
  {
    name: 'pooling: whoever greets is taken for the database',
    file: TRY,
    find: 'return rows[0]?.pid === (client as { readonly processID?: unknown }).processID',
    replace: 'return rows[0]?.pid !== undefined',
    suites: CORE,
  },
  {
    name: 'pooling: a prepared statement that got lost counts as kept',
    file: TRY,
    find: "if (LOST_STATEMENT.has((error as { code?: string }).code ?? '')) return false",
    replace: "if (LOST_STATEMENT.has((error as { code?: string }).code ?? '')) return true",
    suites: CORE,
  },
  {
    name: 'pooling: a longer limit is as good as the promised one',
    file: TRY,
    find: 'return limit === 0 || limit > promised',
    replace: 'return limit === 0',
    suites: CORE,
  },
  {
    name: 'pooling: locks of migrations go through the pooler',
    file: 'packages/core/src/sql.ts',
    find: "    await driver.probe('select 1')\n",
    replace: '',
    suites: CORE,
  },
  {
    name: 'pooling: DATABASE_SESSION_URL is not compared with DATABASE_URL',
    file: TRY,
    find: "if (!(await hears(await sessions.open(), asker))) return 'elsewhere'",
    replace: "if (!(await sessions.open())) return 'elsewhere'",
    suites: CORE,
  },
  {
    name: 'pooling: migrations keep the limits of the role',
    file: 'packages/core/src/platform/database/orm.ts',
    find: '          onConnect: (client: pg.ClientBase) => client.query(WITHOUT_LIMITS),\n',
    replace: '',
    suites: CORE,
  },
  {
    name: 'pooling: healthz takes a refused pooler for an absent database',
    file: 'packages/core/src/watch/health/health.ts',
    find: "if (isRefusedPooling(error)) reason = 'sessions-not-kept'",
    replace: "if (isRefusedPooling(error)) reason = 'unreachable'",
    suites: ['packages/cli/test/process/pooler.test.ts'],
  },
  {
    name: 'pooling: exports read through a pooler that keeps no sessions',
    file: 'packages/core/src/platform/database/one-connection.ts',
    find: '  await requireSessions(server)\n',
    replace: '',
    suites: ['packages/cli/test/process/pooler.test.ts'],
  },
  {
    name: 'standbys: a server that takes no changes is a fault of the service',
    file: 'packages/core/src/platform/database/unavailable.ts',
    find: '40P01$|25006$',
    replace: '40P01$',
    suites: ['packages/core/test/platform/database/unavailable.test.ts'],
  },
  {
    name: 'standbys: a connection to a former primary is used again',
    file: 'packages/core/src/platform/database/database-server.ts',
    find: 'if (code === READ_ONLY) this.end()',
    replace: "if (code === '') this.end()",
    suites: ['packages/core/test/platform/database/unavailable.test.ts'],
  },
  {
    name: 'standbys: a standby is ready',
    file: 'packages/core/src/platform/storage/sql-storage.ts',
    find: 'if (row?.standby) throw',
    replace: 'if (row === undefined) throw',
    suites: ['packages/core/test/platform/database/unavailable.test.ts'],
  },
]
