import {
  type Compilable,
  DummyDriver,
  type Expression,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type SqlBool,
  sql,
} from 'kysely'
import type { Scope } from '../../kernel/scope.ts'
import { idOf, isOwnedBy, type Ownership, ofLicenses } from './scoped-statement.ts'
import type { Session } from './session.ts'

type Rows = Pick<Session, 'rows'>

/** A statement whose columns and parameters the compiler checks. */
export interface TypedStatement<Given, Row> {
  readonly run: (session: Rows, given: Given) => Promise<Row[]>
}

/** A statement that runs within a scope. */
export interface TypedScopedStatement<Given, Row> {
  readonly run: (session: Rows, scope: Scope, given: Given) => Promise<Row[]>
}

type Write<Tables, Given, Row> = (tables: Kysely<Tables>, given: Given) => Compilable<Row>
type WriteScoped<Tables, Given, Row> = (
  tables: Kysely<Tables>,
  given: Given,
  isOwned: Expression<SqlBool>,
) => Compilable<Row>

/** The place of a value that a run brings. */
class Parameter {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

const dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
}
const parameters = new Proxy({}, { get: (_, name) => new Parameter(String(name)) })
const SCOPE = 'id of the scope'

/**
 * Returns the functions that declare statements over some tables, the `TablesOf` their entities. `given`
 * stands for the values of each run: under its names are parameters.
 */
export function statementsOver<Tables>() {
  const tables = once(() => new Kysely<Tables>({ dialect }))
  const prepared = <Given extends object, Row>(name: string, write: Write<Tables, Given, Row>) =>
    once(() => {
      const { sql: text, parameters: values } = write(tables(), parameters as Given).compile()
      return { statement: { name, text }, values }
    })
  const statement = <Given extends object, Row>(
    name: string,
    write: Write<Tables, Given, Row>,
  ): TypedStatement<Given, Row> => {
    const made = prepared(name, write)
    return {
      run: (session, given) => {
        const values = given as Readonly<Record<string, unknown>>
        const of = (value: unknown) => (value instanceof Parameter ? values[value.name] : value)
        return session.rows<Row>(made().statement, made().values.map(of))
      },
    }
  }
  const scoped = <Given extends object, Row>(
    name: string,
    write: WriteScoped<Tables, Given, Row>,
    ownership: Ownership = ofLicenses(),
  ): TypedScopedStatement<Given, Row> => {
    const form = (of: Scope['of']) =>
      statement<Given & { [SCOPE]: string | undefined }, Row>(`${name}-${of}`, (db, given) =>
        write(db, given, asExpression(isOwnedBy(of, ownership), given[SCOPE])),
      )
    const forms = { platform: form('platform'), tenant: form('tenant'), license: form('license') }
    return {
      run: (session, scope, given) => forms[scope.of].run(session, { ...given, [SCOPE]: idOf(scope) }),
    }
  }
  return { statement, scoped }
}

/** Returns a condition in text, whose `$1` is the value. */
const asExpression = (condition: string, value: unknown): Expression<SqlBool> => {
  const [first = '', ...rest] = condition.split('$1')
  return rest.reduce((built, text) => sql<SqlBool>`${built}${value}${sql.raw(text)}`, sql.raw<SqlBool>(first))
}

// A process that never runs a statement does not compile it.
function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The time of a statement; undefined: now. */
export interface Timed {
  readonly now: Date | undefined
}

/**
 * Returns the time of a statement: the value of a parameter, which only tests and simulations give, else the
 * database's clock.
 */
export const atOrNow = (now: Date | undefined) => sql<Date>`coalesce(${now}::timestamptz, now())`

/** Returns the condition that a run brings no text under this name. */
export const isAbsent = (text: string | undefined) => sql<SqlBool>`${text}::text is null`

/** Returns a parameter where it is known to be there. */
export const present = <T>(value: T | undefined) => sql<T>`${value}`
