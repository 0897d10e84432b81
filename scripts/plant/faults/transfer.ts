import type { Fault } from '../fault.ts'

const EXPORT = 'packages/core/src/platform/storage/export/export-rows.ts'
const IMPORT = 'packages/core/src/platform/storage/export/import-rows.ts'
const FILE = 'packages/core/src/platform/storage/export/export-file.ts'
const LINES = 'packages/core/src/platform/storage/export/read-lines.ts'
const COPY = 'packages/core/src/platform/storage/folder-copy.ts'
const PLACE = 'packages/cli/src/connect/database-place.ts'
const PRIVATE = 'packages/cli/src/commands/export/private-file.ts'
const READ = 'packages/cli/src/commands/export/read-file.ts'
const SERVE = 'packages/cli/src/commands/serve/serve.ts'

const ROUND_TRIP = ['packages/core/test/platform/storage/export/round-trip.test.ts']
const REFUSALS = ['packages/core/test/platform/storage/export/refusals.test.ts']
const MANY = ['packages/core/test/platform/storage/export/many-rows.test.ts']
const COMMANDS = ['packages/cli/test/commands/transfer.test.ts']
const PROCESSES = ['packages/cli/test/process/transfer.test.ts']

/** Mistakes about exports, imports and backups. */
export const faults: readonly Fault[] = [
  {
    name: 'transfer: a table is forgotten',
    file: 'packages/core/src/work/agents/agent-tables-sql.ts',
    find: 'entities = [AgentEntity, HostIdentityEntity]',
    replace: 'entities = [AgentEntity]',
    suites: ROUND_TRIP,
  },
  {
    name: 'transfer: the order of rows depends on the database',
    file: EXPORT,
    find: ' order by ${order.join',
    replace: ' order by random(), ${order.join',
    suites: ROUND_TRIP,
  },
  {
    name: 'transfer: values are printed as the server is set',
    file: EXPORT,
    find: "await connection.rows(`set local ${name} = '${value}'`)",
    replace: "await connection.rows(`select '${name}', '${value}'`)",
    suites: ROUND_TRIP,
  },
  {
    name: 'transfer: an export holds all pieces until it ends',
    file: EXPORT,
    find: 'if (this.#piece.length >= PIECE_CHARS) await this.#flush()',
    replace: 'if (this.#piece.length >= 2 ** 29) await this.#flush()',
    suites: MANY,
  },
  {
    name: 'transfer: triggers work during an import',
    file: IMPORT,
    find: 'disable trigger user`)',
    replace: 'enable trigger user`)',
    suites: ROUND_TRIP,
  },
  {
    name: 'transfer: triggers stay off after an import',
    file: IMPORT,
    find: '    for (const name of withTriggers) await connection.rows(`alter table ${quoted(name)} enable trigger user`)\n',
    replace: '',
    suites: REFUSALS,
  },
  {
    name: 'transfer: a database with rows takes an import',
    file: IMPORT,
    find: 'if (filled.length === 0) return',
    replace: 'if (filled.length < 2) return',
    suites: REFUSALS,
  },
  {
    name: 'transfer: the digest is not compared',
    file: IMPORT,
    find: "if (end.sha256 !== hash.digest('hex')) throw",
    replace: "if (end.sha256 === 'none') throw",
    suites: REFUSALS,
  },
  {
    name: 'transfer: the rows are not counted',
    file: IMPORT,
    find: "if (!isWhole) throw damaged('the number of its rows is another')",
    replace: 'void isWhole',
    suites: REFUSALS,
  },
  {
    name: 'transfer: rows count although the file has no end',
    file: IMPORT,
    find: "  if (end === undefined) throw damaged('it is cut')\n  const counts = await rows.end()",
    replace:
      '  const counts = await rows.end()\n  if (end === undefined) return { rows: counts, sha256: hash.digest() as never }',
    suites: REFUSALS,
  },
  {
    name: 'transfer: a last line that does not end is taken',
    file: LINES,
    find: "if (begun.length > 0) throw damaged('it is cut')",
    replace:
      'if (begun.length > 0) yield { text: Buffer.concat(begun).toString(), count: (hash) => void hash }',
    suites: REFUSALS,
  },
  {
    name: 'transfer: a file of another schema is taken',
    file: FILE,
    find: 'if (head.format !== own.format || schema !== own.schema) {',
    replace: 'if (head.format !== own.format) {',
    suites: REFUSALS,
  },
  {
    name: 'transfer: a failed import keeps its rows',
    file: IMPORT,
    find: "    await connection.rows('rollback').catch(() => {})\n    throw error\n  }\n  // Without",
    replace: "    await connection.rows('commit').catch(() => {})\n    throw error\n  }\n  // Without",
    suites: REFUSALS,
  },
  {
    name: 'transfer: the copy of a served folder stays',
    file: PLACE,
    find: 'const dispose = () => rm(copy, { recursive: true, force: true })',
    replace: 'const dispose = async () => void rm',
    suites: PROCESSES,
  },
  {
    name: 'transfer: copies of killed commands stay',
    file: COPY,
    find: 'if ((await folderHolder(copy)) === undefined) await rm',
    replace: 'if ((await folderHolder(copy)) !== undefined) await rm',
    suites: PROCESSES,
  },
  {
    name: 'transfer: a copy fills the disk',
    file: COPY,
    find: 'bytes + reservedBytes - freeBytes',
    replace: 'bytes - freeBytes',
    suites: ['packages/core/test/platform/storage/folder-copy.test.ts'],
  },
  {
    name: 'transfer: others can read an export',
    file: PRIVATE,
    find: "open(unfinished, 'wx', 0o600)",
    replace: "open(unfinished, 'wx', 0o644).then((made) => made.chmod(0o644).then(() => made))",
    suites: PROCESSES,
  },
  {
    name: 'transfer: a file is replaced unasked',
    file: PRIVATE,
    find: 'if (!isForced && existsSync(path)) throw present(path)',
    replace: 'isForced ||= existsSync(path)',
    suites: COMMANDS,
  },
  {
    name: 'transfer: an unfinished file stays',
    file: PRIVATE,
    find: '    await rm(unfinished, { force: true })\n',
    replace: '',
    suites: COMMANDS,
  },
  {
    name: 'transfer: a backup writes any file',
    file: READ,
    find: 'if (!known.includes(file))',
    replace: 'if (known.length === 0)',
    suites: COMMANDS,
  },
  {
    name: 'transfer: a kept secret is overwritten',
    file: READ,
    find: 'if (present === undefined || present === text) continue',
    replace: 'if (present !== text) continue',
    suites: COMMANDS,
  },
  {
    name: 'transfer: svc serve does not know the kept signing key',
    file: SERVE,
    find: 'return existsSync(path) ?',
    replace: 'return !existsSync(path) && named.length === 0 ?',
    suites: PROCESSES,
  },
]
