import { type Infer, optional } from 'superstruct'
import { Problem } from '../../kernel/problem.ts'
import {
  anyText,
  field,
  flag,
  listOf,
  mapOf,
  matching,
  oneOf,
  openShape,
  read,
  shape,
  whole,
} from '../../kernel/validation.ts'
import { checkVariables } from './app.ts'

/** Engines of databases, by the words of a job. */
export const ENGINES = ['postgres', 'mariadb', 'valkey'] as const
/** An engine of databases. */
export type Engine = (typeof ENGINES)[number]
/** Orders about a database. */
export const DATABASE_OPS = [
  'create',
  'drop',
  'link',
  'unlink',
  'rotate',
  'backup',
  'restore',
  'undo',
  'list',
] as const
/** The order about a database. */
export type DatabaseOp = (typeof DATABASE_OPS)[number]

/** Other names of engines. */
const ALIASES: Readonly<Record<string, Engine>> = {
  postgresql: 'postgres',
  redis: 'valkey',
  mysql: 'mariadb',
}
/** Names that an engine has for itself. */
const RESERVED = /^(?:postgres|template[01]|public|none|default|svc.*|pg_.*)$/
/** Names that MariaDB has for itself beyond those. */
const RESERVED_BY_MARIADB = /^(?:mysql|sys|root|(?:information|performance)_schema)$/
const NAME = /^[a-z][a-z0-9_-]{0,39}$/
/** Most apps that one database is linked to. */
export const MAX_LINKS = 20

const app = matching(/^[a-z0-9][a-z0-9._-]{0,127}$/, 'the name of an application')
/** The name of a database: also that of its role. */
export const databaseName = field<string>(
  { type: 'string', pattern: NAME.source },
  (value) => typeof value === 'string' && NAME.test(value) && !RESERVED.test(value),
  'a database name of a-z, 0-9, dash and underscore, at most 40 characters, that no engine has for itself',
)
const variable = matching(/^[A-Z_][A-Z0-9_]{0,63}$/, 'the name of a variable: A-Z, 0-9 and underscore')
const link = shape({ app, as: variable })
/** A dump that a host keeps, by the time that it was made at. */
const dump = matching(/^\d{8}T\d{6}Z-[a-z]{1,16}$/, 'a dump as the op list names it')

const order = openShape({
  op: oneOf(DATABASE_OPS),
  engine: oneOf(ENGINES),
  name: databaseName,
  app: optional(app),
  as: optional(variable),
  confirm: optional(anyText()),
  dump: optional(dump),
})

const hostDatabases = shape({
  version: field<1>({ const: 1 }, (value) => value === 1, 'the number 1'),
  databases: mapOf(
    databaseName,
    shape({
      engine: oneOf(ENGINES),
      /** Never leaves the host. */
      password: anyText(),
      /** The next password, until every linked application has it. */
      next: optional(anyText()),
      links: listOf(link, MAX_LINKS),
      /** Unix second until which the database from before a restore lies aside. */
      aside_until: optional(whole(0, Number.MAX_SAFE_INTEGER)),
      /** The swap that is under way: which of both databases is in use afterwards, and since when. */
      moving: optional(
        shape({ to: anyText(), op: oneOf(['restore', 'undo']), at: whole(0, Number.MAX_SAFE_INTEGER) }),
      ),
      /** Whether it was made whole. */
      ready: flag(),
    }),
  ),
})

/** The file `databases.json` of a host: its databases by their names. */
export type HostDatabases = Infer<typeof hostDatabases>
/** A database of a host. */
export type HostDatabase = HostDatabases['databases'][string]
/** The order of a job `db`. */
export type DatabaseOrder = Infer<typeof order>

/** The variable that has the address of a database, unless a link names another. */
export const VARIABLE_OF: Readonly<Record<Engine, string>> = {
  postgres: 'DATABASE_URL',
  mariadb: 'DATABASE_URL',
  valkey: 'REDIS_URL',
}

/**
 * Reads the payload of a job `db`.
 * @throws Problem `invalid-input` in words
 */
export function readDatabaseOrder(value: unknown): DatabaseOrder {
  const given = engineNamed(value)
  const found = read(order, given)
  if (found.engine === 'mariadb' && RESERVED_BY_MARIADB.test(found.name))
    throw new Problem('invalid-input', { details: [`name: MariaDB has ${found.name} for itself`] })
  if (found.as !== undefined) checkVariables({ [found.as]: '' })
  if (found.op === 'drop' && found.confirm !== found.name)
    throw new Problem('invalid-input', { details: [`confirm: expected ${found.name}, whose data goes`] })
  if (['link', 'unlink'].includes(found.op) && found.app === undefined)
    throw new Problem('invalid-input', { details: ['app: expected the application'] })
  return found
}

function engineNamed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('engine' in value)) return value
  const { engine } = value
  const isAlias = typeof engine === 'string' && Object.hasOwn(ALIASES, engine)
  return { ...value, engine: isAlias ? ALIASES[engine] : engine }
}

/** @throws Problem `invalid-input` for a file of another form */
export const readHostDatabases = (value: unknown): HostDatabases => read(hostDatabases, value)
