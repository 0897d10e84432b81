import type { Fault } from '../fault.ts'

const APPS = 'packages/cli/src/host-apps'
const DEFINITION = ['packages/core/test/work/apps/definition.test.ts']
const DATABASES = ['packages/core/test/work/apps/app-databases.test.ts']
const FILES = ['packages/cli/test/host-apps/data.test.ts']
const BOOTED = ['test/packed/databases.test.ts']
const MARIADB = ['test/packed/mariadb.test.ts']
const CONTAINERS = ['test/packed/container-databases.test.ts']
const PACKAGES = ['test/packed/app-packages.test.ts']
const RUNS = ['packages/cli/test/host-apps/supervisor.test.ts']

/** Mistakes about volumes and databases of applications. */
export const faults: readonly Fault[] = [
  {
    name: 'app-data: a volume lies in a folder of the system',
    file: 'packages/core/src/work/apps/found-app.ts',
    find: '    if (OF_THE_SYSTEM.test(path))\n',
    replace: "    if (OF_THE_SYSTEM.test(path) && name === '')\n",
    suites: DEFINITION,
  },
  {
    name: 'app-data: two releases write to one volume',
    file: 'packages/core/src/work/apps/found-app.ts',
    find: "{ roll = 'replace', ...process }",
    replace: "{ roll = 'beside', ...process }",
    suites: DEFINITION,
  },
  {
    name: 'app-data: a removed application takes its volumes along',
    file: `${APPS}/data/data-orders.ts`,
    find: 'if (withData) for (const folder of data)',
    replace: 'for (const folder of data)',
    suites: RUNS,
  },
  {
    name: 'app-data: a database that an app is linked to is dropped',
    file: 'packages/core/src/work/apps/app-databases.ts',
    find: "if (op === 'drop') demandUnlinked(name, links)",
    replace: "if (op === 'drop') demandUnlinked(name, [])",
    suites: DATABASES,
  },
  {
    name: 'app-data: a database is dropped without its name',
    file: 'packages/core/src/work/apps/database.ts',
    find: 'found.confirm !== found.name',
    replace: 'found.confirm === undefined && found.name.length > 99',
    suites: DATABASES,
  },
  {
    name: 'app-data: an app is linked to a database of another host',
    file: 'packages/core/src/work/apps/app-databases.ts',
    find: 'known.jobTarget === host || ',
    replace: "known.jobTarget !== '' || ",
    suites: DATABASES,
  },
  {
    name: 'app-data: a database has the name of one of its server',
    file: 'packages/core/src/work/apps/database.ts',
    find: 'NAME.test(value) && !RESERVED.test(value)',
    replace: 'NAME.test(value)',
    suites: DATABASES,
  },
  {
    name: 'app-data: everybody connects to every database',
    file: `${APPS}/data/postgres.ts`,
    find: 'revoke all on database "${database}" from public;',
    replace: 'grant connect on database "${database}" to public;',
    suites: BOOTED,
  },
  {
    name: 'app-data: a password stands in the log of a job',
    file: `${APPS}/data/databases.ts`,
    find: "text.replaceAll(password, '***')",
    replace: "text.replaceAll(`${password}.`, '***')",
    suites: BOOTED,
  },
  {
    name: 'app-data: linked apps keep the password from before a rotation',
    file: `${APPS}/data/databases.ts`,
    find: '    for (const { app } of database.links) await roll(app)\n',
    replace: '',
    suites: BOOTED,
  },
  {
    name: 'app-data: a restore reads files of others than the handlers',
    file: `${APPS}/data/app-data.ts`,
    find: 'if (stat.isFile() && stat.uid === handlers?.uid) return file',
    replace: 'if (stat.isFile()) return file',
    suites: BOOTED,
  },
  {
    name: 'app-data: the volume from before a restore is not kept',
    file: `${APPS}/data/app-data.ts`,
    find: "if (existsSync(place())) renameSync(place(), place('.old-'))",
    replace: 'rmSync(place(), { recursive: true, force: true })',
    suites: BOOTED,
  },
  {
    name: 'app-data: a verifier of a password is none that PostgreSQL takes',
    file: `${APPS}/data/scram.ts`,
    find: "keyed('Client Key')",
    replace: "keyed('Server Key')",
    suites: FILES,
  },
  {
    name: 'app-data: dumps are kept for good',
    file: `${APPS}/data/dumps.ts`,
    find: 'if (!(age <= KEPT_DAYS * DAY_MS))',
    replace: 'if (Number.isNaN(age))',
    suites: FILES,
  },
  {
    name: 'app-data: half a dump counts as one',
    file: `${APPS}/data/dumps.ts`,
    find: '      rmSync(part, { force: true })\n      throw error',
    replace: '      renameSync(part, join(folder, name))\n      throw error',
    suites: FILES,
  },
  {
    name: 'app-data: a damaged record of databases counts as an empty one',
    file: `${APPS}/data/databases-file.ts`,
    find: 'return new DatabasesFile(path, readHostDatabases(JSON.parse(text)))\n    } catch (error) {',
    replace:
      'return new DatabasesFile(path, readHostDatabases(JSON.parse(text)))\n    } catch (error) {\n      if (text !== "") return new DatabasesFile(path, { version: 1, databases: {} })',
    suites: FILES,
  },
  {
    name: 'app-data: an underscore in the name of a database opens others to its account',
    file: `${APPS}/data/mariadb.ts`,
    find: "${database.replaceAll('_', '\\\\_')}",
    replace: '${database}',
    suites: MARIADB,
  },
  {
    name: 'app-data: a dump of MariaDB is read with the rights of its superuser',
    file: `${APPS}/data/mariadb.ts`,
    find: 'await this.#server.load(aside, name, this.#passwordOf(name), from)',
    replace: 'await this.#server.sql(readFileSync(`/proc/self/fd/${from}`, "utf8"), aside)',
    suites: MARIADB,
  },
  {
    name: 'app-data: half a dump of MariaDB counts as a whole one',
    file: `${APPS}/data/mariadb.ts`,
    find: 'if (end.toString() !== LAST_LINE)',
    replace: 'if (end.length === 0)',
    suites: MARIADB,
  },
  {
    name: 'app-data: an app keeps its rights on the database from before a restore',
    file: `${APPS}/data/mariadb.ts`,
    find: 'revoke all on ${granted(left)} from ${account};\nkill',
    replace: 'kill',
    suites: MARIADB,
  },
  {
    name: 'app-data: a database goes with the data of one app while another has it',
    file: 'packages/core/src/work/apps/app-databases.ts',
    find: "op: links.length === 0 ? 'drop' : 'unlink'",
    replace: "op: 'drop'",
    suites: DATABASES,
  },
  {
    name: 'app-data: files of the users of a container come back as those of its app',
    file: `${APPS}/data/app-data.ts`,
    find: "unpacked: ['--same-owner']",
    replace: "unpacked: ['--no-same-owner']",
    suites: CONTAINERS,
  },
  {
    name: 'app-data: an undo that was cut off is taken back by the order given again',
    file: `${APPS}/data/swaps.ts`,
    find: "op === 'undo' && moving.op === 'undo' && ",
    replace: "op === 'list' && moving.op === 'undo' && ",
    suites: BOOTED,
  },
  {
    name: 'app-data: an app keeps the address from before a swap whose supervisor was killed',
    file: `${APPS}/data/swaps.ts`,
    find: '      for (const { app } of links) await roll(app)\n    }\n  }\n\n  /** Whether',
    replace: '    }\n  }\n\n  /** Whether',
    suites: MARIADB,
  },
  {
    name: 'app-data: a host installs packages that its operator did not allow',
    file: `${APPS}/system/packages.ts`,
    find: 'if (!existsSync(PLACES.packages)) throw lacksPackages(missing)',
    replace: 'if (!existsSync(PLACES.apps)) throw lacksPackages(missing)',
    suites: PACKAGES,
  },
  {
    name: 'app-data: the name of a package is a pattern of names',
    file: `${APPS}/system/packages.ts`,
    find: '`?exact-name(${name})`',
    replace: 'name',
    suites: PACKAGES,
  },
  {
    name: 'app-data: a package takes the place of another one',
    file: `${APPS}/system/packages.ts`,
    find: ", '--no-remove']",
    replace: ']',
    suites: PACKAGES,
  },
]
