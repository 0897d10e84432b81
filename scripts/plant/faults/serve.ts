import type { Fault } from '../fault.ts'

const WAIT = 'packages/cli/src/commands/serve/database-wait.ts'
const WAIT_SUITES = ['packages/cli/test/program/database-wait.test.ts']
const FOLDER = 'packages/core/src/database/data-folder.ts'
const FOLDER_SUITES = ['packages/core/test/database/folder-rights.test.ts']
const HEALTH = 'packages/core/src/health/health.ts'
const HEALTH_SUITES = ['packages/core/test/health/health.test.ts']

export const faults: readonly Fault[] = [
  {
    name: 'serve: begins on a database that is ahead or has drifted',
    file: WAIT,
    find: '    refuseForeign(migrations)\n',
    replace: '    void refuseForeign\n',
    suites: WAIT_SUITES,
  },
  {
    name: 'serve: begins on a database with missing tables',
    file: WAIT,
    find: 'if (missingTables.length === 0) return undefined',
    replace: 'if (missingTables.length >= 0) return undefined',
    suites: WAIT_SUITES,
  },
  {
    name: 'serve: says what it waits for at each look',
    file: WAIT,
    find: 'if (sentence === said.sentence && nowMs - said.atMs < REMINDER_MS) return',
    replace: 'if (sentence === said.sentence && nowMs === said.atMs) return',
    suites: WAIT_SUITES,
  },
  {
    name: 'serve: waits longer and longer without an end',
    file: WAIT,
    find: 'Math.min(pauseMs * 2, LONGEST_PAUSE_MS)',
    replace: 'Math.max(pauseMs * 2, LONGEST_PAUSE_MS / 8)',
    suites: WAIT_SUITES,
  },
  {
    name: 'serve: begins although it was asked to end',
    file: WAIT,
    find: 'if (over.aborted) break',
    replace: 'if (over.aborted && obstacle !== undefined) break',
    suites: WAIT_SUITES,
  },
  {
    name: 'serve: waits for the migration lock of another process',
    file: 'packages/core/src/sql.ts',
    find: '): Promise<MigrationStatus | undefined> => migratedUnderLock(server, false)',
    replace: '): Promise<MigrationStatus | undefined> => migratedUnderLock(server, true)',
    suites: ['packages/cli/test/process/waiting.test.ts'],
  },
  {
    name: 'serve: connects to the database before it listens',
    file: 'packages/core/src/database/orm.ts',
    find: 'ensureDatabase: false',
    replace: 'ensureDatabase: true',
    suites: ['packages/core/test/database/unavailable.test.ts'],
  },
  {
    name: 'storage: the pool of a service that ends stays open until its connections have idled',
    file: 'packages/core/src/database/orm.ts',
    find: 'const own = pool.ending ? undefined : pool.end()',
    replace: 'const own = undefined',
    suites: ['packages/cli/test/process/drain.test.ts'],
  },
  {
    name: 'http: a waiting service answers 404 where nothing is served',
    file: 'packages/http/src/dispatch/request-pipeline.ts',
    find: "this.#parts.elsewhere?.problem ?? new Problem('not-found')",
    replace: "new Problem('not-found')",
    suites: ['packages/http/test/routes/waiting.test.ts'],
  },
  {
    name: 'http: a path without parameters is hidden by a pattern declared before it',
    file: 'packages/http/src/app.ts',
    find: 'resources.toSorted(fixedFirst)',
    replace: 'resources',
    suites: ['packages/http/test/embedding.test.ts'],
  },
  {
    name: 'http: a connection that is open keeps the application that it met',
    file: 'packages/http/src/server/server.ts',
    find: 'answering.handle = next.callback()',
    replace: 'void next.callback()',
    suites: ['packages/http/test/routes/waiting.test.ts'],
  },
  {
    name: 'http: the control socket has the mode that the mask of the process gives it',
    file: 'packages/http/src/server/socket-file.ts',
    find: 'process.umask(ALL_BUT_OWNER)',
    replace: 'process.umask()',
    suites: ['packages/http/test/server/server.test.ts'],
  },
  {
    name: 'health: a service that has not begun is ready on a good database',
    file: HEALTH,
    find: "if (this.#phase !== 'serving') checks",
    replace: "if (this.#phase === 'draining') checks",
    suites: HEALTH_SUITES,
  },
  {
    name: 'health: a release begins on what a newer one has migrated',
    file: HEALTH,
    find: ' || (isStarting && ahead !== undefined)',
    replace: ' || (isStarting && ahead === null)',
    suites: HEALTH_SUITES,
  },
  {
    name: 'health: production without a single license key is no warning',
    file: HEALTH,
    find: "{ status: 'warn', mode, reason: 'no-license' }",
    replace: "{ status: 'pass', mode }",
    suites: HEALTH_SUITES,
  },
  {
    name: 'data folder: its files have the modes that the mask of the shell gives them',
    file: 'packages/cli/src/io.ts',
    find: 'process.umask(0o077)',
    replace: 'process.umask()',
    suites: ['packages/cli/test/process/private-files.test.ts'],
  },
  {
    name: 'doctor: writes into the folder of another user, to try',
    file: 'packages/cli/src/commands/doctor/folder-checks.ts',
    find: "  if (access === 'belongs-to-another') return { status: 'fail', detail: access }\n",
    replace: '',
    suites: ['packages/cli/test/commands/doctor.test.ts'],
  },
  {
    name: 'data folder: one that is open stays open',
    file: FOLDER,
    find: '  await handle.chmod(0o700)\n',
    replace: '',
    suites: FOLDER_SUITES,
  },
  {
    name: 'data folder: root takes one of another user',
    file: FOLDER,
    find: 'if (us() !== undefined && uid !== us()) throw foreign(folder, uid)',
    replace: 'if (us() !== undefined && uid === undefined) throw foreign(folder, uid)',
    suites: FOLDER_SUITES,
  },
  {
    name: 'data folder: a link of another user is followed',
    file: FOLDER,
    find: '  const link = await lstat(folder)\n  if (!isTrusted(link.uid)) throw foreign(folder, link.uid)\n  const path',
    replace: '  const path',
    suites: FOLDER_SUITES,
  },
  {
    name: 'data folder: /tmp is taken from everybody else',
    file: FOLDER,
    find: '!isOurs || (mode & STICKY) !== 0',
    replace: '!isOurs',
    suites: FOLDER_SUITES,
  },
  {
    name: 'connect: the socket of another user in one’s own folder is spoken to',
    file: FOLDER,
    find: 'if (file !== undefined && !isTrusted(file.uid)) throw',
    replace: 'if (file !== undefined && Number.isNaN(file.uid)) throw',
    suites: FOLDER_SUITES,
  },
]
