import { createHash } from 'node:crypto'
import { existsSync, fstatSync, mkdirSync, readFileSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '@svc/core'
import { writeDurably } from '../../agent/state/durable-file.ts'
import type { DatabaseEngine, Sides } from './engine.ts'
import { MARIADB_HOME, MARIADB_SOCKET, MARIADB_SOCKET_FOLDER, MariadbServer } from './mariadb-server.ts'

const CONNECTIONS = 20
/** While a dump is read the application's account has the connections of both. */
const LOAD_CONNECTIONS = 2 * CONNECTIONS
/** The files that say by their names of databases which of two each application has. */
const SIDES = join(MARIADB_HOME, 'sides')
const LAST_LINE = '-- Dump completed\n'

// Names of tables alone stand in the statement, quoted; a view runs nothing, since none is asked.
const COUNT = `delimiter //
begin not atomic
  declare tables, total bigint default 0;
  for each_one in (select table_name as name from information_schema.tables
    where table_schema = database() and table_type = 'BASE TABLE') do
    execute immediate concat('select count(*) into @counted from \`', replace(each_one.name, '\`', '\`\`'), '\`');
    set tables = tables + 1, total = total + @counted;
  end for;
  select concat(tables, ' tables, ', total, ' rows');
end//`

const sha1 = (value: string | Buffer): Buffer => createHash('sha1').update(value).digest()

/** The digest of a password as `mysql_native_password` has it: the server never gets the password itself. */
export const nativeDigest = (password: string): string =>
  `*${sha1(sha1(password)).toString('hex').toUpperCase()}`

const quoted = (database: string): string => `\`${database}\``
/** A name in a grant is a pattern, in which an underscore is any character. */
const granted = (database: string): string => `\`${database.replaceAll('_', '\\_')}\`.*`
const accountOf = (name: string): string => `'${name}'@'localhost'`

/** Databases of MariaDB: an account and a database a name, with rights on that one alone. */
export class Mariadb implements DatabaseEngine {
  readonly #server = new MariadbServer()
  readonly #passwordOf: (name: string) => string

  /** @param passwordOf the password of a database of the record */
  constructor(passwordOf: (name: string) => string) {
    this.#passwordOf = passwordOf
  }

  async create(name: string, password: string): Promise<void> {
    await this.#server.ensure()
    const database = sideOf(name)
    await this.#server.sql(`
create user if not exists ${accountOf(name)} account lock;
create database if not exists ${quoted(database)};
grant all on ${granted(database)} to ${accountOf(name)};
alter user ${accountOf(name)} identified via mysql_native_password using '${nativeDigest(password)}'
  with max_user_connections ${CONNECTIONS} account unlock;`)
  }

  async setPassword(name: string, password: string): Promise<void> {
    await this.#server.ensure()
    const digest = nativeDigest(password)
    await this.#server.sql(
      `alter user ${accountOf(name)} identified via mysql_native_password using '${digest}';`,
    )
  }

  variables(name: string, password: string, as: string): Readonly<Record<string, string>> {
    const stem = as.replace(/_URL$/, '')
    const database = sideOf(name)
    // No two families of drivers agree on the parameter of a socket: some take one of these, some the parts.
    const where = `socket=${MARIADB_SOCKET}&socketPath=${MARIADB_SOCKET}`
    return {
      [`${stem}_SOCKET`]: MARIADB_SOCKET,
      [`${stem}_NAME`]: database,
      [`${stem}_USER`]: name,
      [`${stem}_PASSWORD`]: password,
      [as]: `mysql://${name}:${password}@localhost/${database}?${where}`,
    }
  }

  socketFolder(): string {
    return MARIADB_SOCKET_FOLDER
  }

  async drop(name: string): Promise<void> {
    await this.#server.ensure()
    await this.#server.sql(`
create user if not exists ${accountOf(name)};
alter user ${accountOf(name)} account lock;
kill user ${accountOf(name)};
drop database if exists ${quoted(asideOf(name))};
drop database if exists ${quoted(sideOf(name))};
drop user ${accountOf(name)};`)
    rmSync(join(SIDES, name), { force: true })
  }

  async dump(name: string, to: number): Promise<void> {
    await this.#server.ensure()
    await this.#server.dump(sideOf(name), to)
  }

  async load(name: string, from: number): Promise<string> {
    demandWhole(from)
    await this.dropAside(name)
    const [aside, account] = [asideOf(name), accountOf(name)]
    await this.#server.sql(`
create database ${quoted(aside)};
grant all on ${granted(aside)} to ${account};
alter user ${account} with max_user_connections ${LOAD_CONNECTIONS};`)
    try {
      await this.#server.load(aside, name, this.#passwordOf(name), from)
      return (await this.#server.sql(COUNT, aside)).trim()
    } catch (error) {
      await this.dropAside(name)
      throw error
    } finally {
      await this.#server.sql(`
revoke all on ${granted(aside)} from ${account};
alter user ${account} with max_user_connections ${CONNECTIONS};`)
    }
  }

  /** Reads a dump into a server of its own. */
  async drill(from: number): Promise<string> {
    demandWhole(from)
    return (await this.#server.drill(from, COUNT)).trim()
  }

  /** A database has no other name here: the application is led to the other one of its two. */
  async swap(name: string, next: string): Promise<void> {
    await this.#server.ensure()
    const [left = '', account] = [sidesOf(name).find((side) => side !== next), accountOf(name)]
    await this.#server.sql(`grant all on ${granted(next)} to ${account};`)
    mkdirSync(SIDES, { recursive: true, mode: 0o700 })
    await writeDurably(join(SIDES, name), next)
    // A right that is not there cannot be taken away.
    await this.#server.sql(`
grant all on ${granted(left)} to ${account};
revoke all on ${granted(left)} from ${account};
kill user ${account};`)
  }

  async dropAside(name: string): Promise<void> {
    await this.#server.ensure()
    await this.#server.sql(`drop database if exists ${quoted(asideOf(name))};`)
  }

  async sides(name: string): Promise<Sides> {
    const aside = asideOf(name)
    return { used: sideOf(name), ...((await this.#isThere(aside)) ? { aside } : {}) }
  }

  has(name: string): Promise<boolean> {
    return this.#isThere(sideOf(name))
  }

  async #isThere(database: string): Promise<boolean> {
    await this.#server.ensure()
    const asked = `select 'there' from information_schema.schemata where binary schema_name = '${database}';`
    return (await this.#server.sql(asked)).includes('there')
  }
}

const sidesOf = (name: string): readonly [string, string] => [name, `${name}_B`]

/** The database that an application has. No name of one has a capital letter. */
function sideOf(name: string): string {
  const file = join(SIDES, name)
  const [first, second] = sidesOf(name)
  return existsSync(file) && readFileSync(file, 'utf8') === second ? second : first
}

/** The other one: that from before a restore, or the one that is being restored. */
const asideOf = (name: string): string => {
  const [first, second] = sidesOf(name)
  return sideOf(name) === first ? second : first
}

/** @throws Problem `conflict` for a dump without its end: a text that is cut off is a text too */
function demandWhole(file: number): void {
  const end = Buffer.alloc(LAST_LINE.length)
  readSync(file, end, 0, end.length, Math.max(0, fstatSync(file).size - end.length))
  if (end.toString() !== LAST_LINE)
    throw new Problem('conflict', { detail: 'the dump is cut off: its last line is missing' })
}
