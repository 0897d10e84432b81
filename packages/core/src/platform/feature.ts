import type { Base } from './base.ts'
import type { Groups } from './config/settings.ts'
import type { Session } from './database/session.ts'
import type { Entity } from './database/table-sql.ts'
import type { Operation } from './operations/operation.ts'
import type { ScheduledTask } from './scheduler/scheduled-task.ts'

/** A feature's part of a database: its tables, and its stores over a session or a transaction. */
export interface SqlPart<Sto> {
  readonly entities: readonly Entity[]
  readonly stores: (session: Session) => Sto
}

type Purge<Svc> = (services: Svc) => Promise<unknown>

/**
 * One feature: all that it adds to a plane. `Needs` are the tools and the services of features before it that
 * its own services use; `Sto` are its stores and `Svc` its services, each under its name on the plane; `Uses`
 * are the services that its operations use; `Told` are the types of its events, `Cfg` its settings.
 */
export interface Feature<Needs, Sto, Svc, Uses, Told extends string = never, Cfg extends Groups = never> {
  /** Its groups of settings by name: the exports of its `settings.ts`. */
  readonly settings?: Cfg
  /**
   * Loads its tables and its stores in SQL. They are loaded where a database is opened alone: who brings a
   * storage of their own needs no ORM. The fakes of `@svc/testing` match the stores.
   */
  readonly sql: () => Promise<SqlPart<Sto>>
  readonly services: (base: Base, needs: Needs) => Svc
  /** Its operations, in the order of the reference. */
  readonly operations: readonly Operation<Uses>[]
  /** Its tasks of a tick, which run in the order of the list of their names. */
  readonly tasks?: (services: Svc) => readonly ScheduledTask[]
  /** Deletes rows past their retention, once an hour. */
  readonly purge?: Purge<Svc>
  /** Types of the events that webhooks send of its rows, in the order of the reference. */
  readonly events?: readonly Told[]
}

const joined = <One, Other>(one: SqlPart<One>, other: SqlPart<Other>): SqlPart<One & Other> => ({
  entities: [...one.entities, ...other.entities],
  stores: (session) => ({ ...one.stores(session), ...other.stores(session) }),
})

/** Declares a feature whose services use `Needs`. */
export const featureOf =
  <Needs = unknown>() =>
  <Sto, Svc, Uses, Told extends string = never, Cfg extends Groups = never>(
    feature: Feature<Needs, Sto, Svc, Uses, Told, Cfg>,
  ): Feature<Needs, Sto, Svc, Uses, Told, Cfg> =>
    feature

/**
 * Features in the order of their services' making: each may use the services of earlier ones, which the
 * compiler checks. `Tools` are a plane's parts before its features. Operations may use the services of any
 * feature: `Uses` are all that they use. `Told` are the types of all events, `Cfg` the settings of any.
 */
export class Features<Tools, Sto, Svc, Uses, Told extends string, Cfg extends Groups> {
  readonly settings: readonly Cfg[]
  readonly sql: () => Promise<SqlPart<Sto>>
  readonly services: (base: Base, tools: Tools) => Svc
  readonly operations: readonly Operation<Uses>[]
  readonly tasks: (services: Svc) => readonly ScheduledTask[]
  readonly events: readonly Told[]
  readonly purges: readonly Purge<Svc>[]

  private constructor(
    parts: Required<Omit<Feature<Tools, Sto, Svc, Uses, Told>, 'purge' | 'settings'>>,
    settings: readonly Cfg[],
    purges: readonly Purge<Svc>[],
  ) {
    this.settings = settings
    this.sql = parts.sql
    this.services = parts.services
    this.operations = parts.operations
    this.tasks = parts.tasks
    this.events = parts.events
    this.purges = purges
  }

  /** Returns a list without features, for planes that have these tools. */
  static over<Tools>(): Features<Tools, object, object, unknown, never, never> {
    const none = {
      sql: async () => ({ entities: [], stores: () => ({}) }),
      services: () => ({}),
      operations: [],
      tasks: () => [],
      events: [],
    }
    return new Features<Tools, object, object, unknown, never, never>(none, [], [])
  }

  /** Returns these features and one more behind them. */
  with<S, V, U, T extends string, G extends Groups>(
    added: Feature<Tools & Svc, S, V, U, T, G>,
  ): Features<Tools, Sto & S, Svc & V, Uses & U, Told | T, Cfg | G> {
    const { settings, tasks = () => [], events = [], purge } = added
    return new Features<Tools, Sto & S, Svc & V, Uses & U, Told | T, Cfg | G>(
      {
        sql: async () => joined(...(await Promise.all([this.sql(), added.sql()]))),
        services: (base, tools) => {
          const services = this.services(base, tools)
          return { ...services, ...added.services(base, { ...tools, ...services }) }
        },
        operations: [...this.operations, ...added.operations],
        tasks: (services) => [...this.tasks(services), ...tasks(services)],
        events: [...this.events, ...events],
      },
      settings === undefined ? this.settings : [...this.settings, settings],
      purge === undefined ? this.purges : [...this.purges, purge],
    )
  }
}
