import { Problem } from '@svc/core'
import type { DatabaseEngine, Sides } from './engine.ts'
import { DRILL, KEEPERS, keeperOf, POSTGRES_SOCKET, PostgresServer } from './postgres-server.ts'
import { scramVerifier } from './scram.ts'

const CONNECTIONS = 20
const KEEPER_CONNECTIONS = 4
/** Time for connections to end before databases are swapped. */
const SWAP_TRIES = 50

/** The database that lies aside of another. */
const asideOf = (name: string): string => `${name}.aside`

// Texts of catalogues alone stand in this statement, so that a hostile name of a table is quoted.
const COUNT = `select count(*) || ' tables, ' || coalesce(sum((xpath('/row/c/text()', query_to_xml(
  format('select count(*) as c from %I.%I', schemaname, tablename), false, true, '')))[1]::text::bigint), 0) || ' rows'
  from pg_tables where schemaname not in ('pg_catalog', 'information_schema');`

/** Databases of PostgreSQL: a role and a database a name, which no other role connects to. */
export class Postgres implements DatabaseEngine {
  readonly #server = new PostgresServer()
  readonly #names: () => readonly string[]

  /** @param names the databases of the record */
  constructor(names: () => readonly string[]) {
    this.#names = names
  }

  async create(name: string, password: string): Promise<void> {
    await this.#ensure()
    const keeper = keeperOf(name)
    await this.#server.sql(`
revoke all on database postgres, template1 from public;
select 'create role "${KEEPERS}" nologin' where not exists (select from pg_roles where rolname = '${KEEPERS}') \\gexec
select 'create role "${name}"' where not exists (select from pg_roles where rolname = '${name}') \\gexec
select 'create role "${keeper}"' where not exists (select from pg_roles where rolname = '${keeper}') \\gexec
alter role "${name}" login connection limit ${CONNECTIONS} password '${scramVerifier(password)}';
alter role "${keeper}" login connection limit ${KEEPER_CONNECTIONS};
grant "${name}", "${KEEPERS}" to "${keeper}";`)
    await this.#make(name, name)
  }

  async setPassword(name: string, password: string): Promise<void> {
    await this.#ensure()
    await this.#server.sql(`alter role "${name}" password '${scramVerifier(password)}';`)
  }

  variables(name: string, password: string, as: string): Readonly<Record<string, string>> {
    // Drivers that know no sockets in addresses need a host: those that do take the parameter.
    return { [as]: `postgresql://${name}:${password}@localhost/${name}?host=${POSTGRES_SOCKET}` }
  }

  socketFolder(): string {
    return POSTGRES_SOCKET
  }

  async drop(name: string): Promise<void> {
    await this.#ensure()
    await this.#server.sql(`
drop database if exists "${asideOf(name)}" with (force);
drop database if exists "${name}" with (force);
drop role if exists "${keeperOf(name)}";
drop role if exists "${name}";`)
  }

  async dump(name: string, to: number): Promise<void> {
    await this.#ensure()
    const words = ['--format=custom', '--role', name]
    await this.#server.run({ program: 'pg_dump', role: keeperOf(name), database: name, words, to })
  }

  async load(name: string, from: number): Promise<string> {
    await this.#ensure()
    await this.dropAside(name)
    await this.#make(asideOf(name), name)
    const words = ['--exit-on-error', '--no-owner', '--no-privileges', '--role', name]
    const where = { role: keeperOf(name), database: asideOf(name) }
    try {
      await this.#server.run({ program: 'pg_restore', ...where, words, from })
      return (await this.#server.sqlIn(asideOf(name), name, COUNT)).trim()
    } catch (error) {
      await this.dropAside(name)
      throw error
    }
  }

  /** Reads a dump into a database of its own, whose role has no other, and removes both. */
  async drill(from: number): Promise<string> {
    await this.#ensure()
    await this.#server.sql(`
select 'create role "${KEEPERS}" nologin' where not exists (select from pg_roles where rolname = '${KEEPERS}') \\gexec
drop database if exists "${DRILL}" with (force);
drop role if exists "${DRILL}";
create role "${DRILL}" login in role "${KEEPERS}";`)
    try {
      await this.#make(DRILL, DRILL)
      const words = ['--exit-on-error', '--no-owner', '--no-privileges']
      const where = { role: DRILL, database: DRILL }
      await this.#server.run({ program: 'pg_restore', ...where, words, from })
      return (await this.#server.run({ program: 'psql', ...where, input: COUNT })).trim()
    } finally {
      await this.#server.sql(`drop database if exists "${DRILL}" with (force); drop role "${DRILL}";`)
    }
  }

  async sides(name: string): Promise<Sides> {
    await this.#ensure()
    const said = await this.#server.sql(
      `select datname || ' ' || oid from pg_database where datname in ('${name}', '${asideOf(name)}');`,
    )
    const oids = new Map(said.split('\n').map((line) => line.split(' ') as [string, string]))
    return { used: oids.get(name), aside: oids.get(asideOf(name)) }
  }

  async swap(name: string, to: string): Promise<void> {
    const both = `'${name}', '${asideOf(name)}'`
    await this.#ensure()
    // One connection carries all of it out, also when this process ends: until the commit all is as before. A
    // second one waits for it.
    const says = await this.#server
      .sql(`
select pg_advisory_lock(hashtext('${name}'));
select exists (select from pg_database where datname = '${asideOf(name)}' and oid = ${to}) as is_aside \\gset
\\if :is_aside
alter database "${name}" allow_connections false;
alter database "${asideOf(name)}" allow_connections false;
do $$ begin
  for try in 1..${SWAP_TRIES} loop
    perform pg_terminate_backend(pid) from pg_stat_activity where datname in (${both});
    exit when not exists (select from pg_stat_activity where datname in (${both}));
    perform pg_sleep(0.1);
    perform pg_stat_clear_snapshot();
  end loop;
end $$;
begin;
alter database "${name}" rename to "${name}.moving";
alter database "${asideOf(name)}" rename to "${name}";
alter database "${name}.moving" rename to "${asideOf(name)}";
alter database "${name}" allow_connections true;
commit;
\\endif
select 'swapped' from pg_database where datname = '${name}' and oid = ${to};`)
      .finally(() => this.#server.sql(`alter database "${name}" allow_connections true;`))
    if (!says.includes('swapped'))
      throw new Problem('conflict', { detail: `${name} was not swapped: it is as before` })
  }

  async dropAside(name: string): Promise<void> {
    await this.#ensure()
    await this.#server.sql(`drop database if exists "${asideOf(name)}" with (force);`)
  }

  async has(name: string): Promise<boolean> {
    await this.#ensure()
    return (await this.#server.sql(`select 'there' from pg_database where datname = '${name}';`)).includes(
      'there',
    )
  }

  #ensure(): Promise<void> {
    return this.#server.ensure(this.#names())
  }

  /** Makes an empty database that its role alone connects to. */
  async #make(database: string, role: string): Promise<void> {
    await this.#server.sql(`
select 'create database "${database}" owner "${role}" template template0' where not exists
  (select from pg_database where datname = '${database}') \\gexec
revoke all on database "${database}" from public;
alter database "${database}" allow_connections true;`)
  }
}
