import { defineEntity, p } from '@mikro-orm/core'
import {
  fact,
  person,
  sealed,
  type TablesOf,
  time,
  valuesOf,
  verbatim,
  word,
} from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import type { JobEntity } from '../jobs/job-tables-sql.ts'
import type { App, Variable } from './app.ts'
import type { AppDatabase, DatabaseLink } from './app-database.ts'
import type { AppDomain, DomainOptions } from './app-domain.ts'
import type { AppMove } from './app-move.ts'
import type { ObservedApp } from './observed-app.ts'

/** Table `apps`. */
export const AppEntity = defineEntity({
  name: 'App',
  tableName: 'apps',
  properties: {
    id: word(p.text().primary()),
    licenseId: word(p.text()),
    name: fact(p.text()),
    fingerprint: fact(p.text().nullable()),
    moreHosts: fact(p.json().$type<readonly string[]>().default('[]')),
    repoUrl: fact(p.text().nullable()),
    move: fact(p.json().$type<AppMove>().nullable()),
    envRevision: p.integer().default(0),
    createdAt: time(),
    updatedAt: time(),
  },
})

/** Table `app_variables`. */
export const AppVariableEntity = defineEntity({
  name: 'AppVariable',
  tableName: 'app_variables',
  properties: {
    id: word(p.text().primary()),
    appId: word(p.text()),
    name: fact(p.text()),
    value: verbatim(p.text().nullable()),
    secret: sealed(p.text().nullable()),
    updatedAt: time(),
  },
})

/** Table `app_domains`. */
export const AppDomainEntity = defineEntity({
  name: 'AppDomain',
  tableName: 'app_domains',
  properties: {
    id: word(p.text().primary()),
    licenseId: word(p.text()),
    appId: word(p.text()),
    domain: fact(p.text()),
    options: fact(p.json().$type<DomainOptions>()),
    isLeaving: p.boolean(),
    jobId: word(p.text()),
    madeBy: person(p.text()),
    createdAt: time(),
    updatedAt: time(),
  },
})

/** Table `observed_apps`. */
export const ObservedAppEntity = defineEntity({
  name: 'ObservedApp',
  tableName: 'observed_apps',
  properties: {
    licenseId: word(p.text().primary()),
    fingerprint: fact(p.text().primary()),
    app: fact(p.text().primary()),
    state: word(p.text().$type<ObservedApp['state']>()),
    detail: fact(p.json().$type<ObservedApp['detail']>()),
    isTroubled: p.boolean(),
    since: time(),
    observedAt: time(),
  },
})

/** Table `app_databases`. */
export const AppDatabaseEntity = defineEntity({
  name: 'AppDatabase',
  tableName: 'app_databases',
  properties: {
    id: word(p.text().primary()),
    licenseId: word(p.text()),
    name: fact(p.text()),
    engine: word(p.text().$type<AppDatabase['engine']>()),
    links: fact(p.json().$type<readonly DatabaseLink[]>()),
    op: word(p.text().$type<AppDatabase['op']>()),
    jobId: word(p.text()),
    madeBy: person(p.text()),
    createdAt: time(),
    updatedAt: time(),
  },
})

/** Its tables. */
export const entities = [AppEntity, AppVariableEntity, AppDomainEntity, AppDatabaseEntity, ObservedAppEntity]

interface Tables extends TablesOf<typeof AppEntity | typeof AppVariableEntity> {}

/** Statements over them. */
export const { statement, scoped } = statementsOver<Tables>()

interface DomainTables extends TablesOf<typeof AppDomainEntity | typeof JobEntity> {}

/** Statements over the domains of apps and their jobs. */
export const { statement: domainStatement } = statementsOver<DomainTables>()

interface ObservedTables extends TablesOf<typeof ObservedAppEntity> {}

/** Statements over the states of apps. */
export const { scoped: observedScoped } = statementsOver<ObservedTables>()

/** Reads a row of `observed_apps`. */
export const toObservedApp: (row: object) => ObservedApp = valuesOf(ObservedAppEntity, 'isTroubled')

interface DatabaseTables extends TablesOf<typeof AppDatabaseEntity | typeof JobEntity> {}

/** Statements over the databases of hosts and their jobs. */
export const { statement: databaseStatement } = statementsOver<DatabaseTables>()

/** Reads a row of `apps`. */
export const toApp: (row: object) => App = valuesOf(AppEntity)
/** Reads a row of `app_variables`. */
export const toVariable: (row: object) => Variable = valuesOf(AppVariableEntity, 'id', 'appId')

const readDomain = valuesOf(AppDomainEntity)
interface JoinedJob {
  readonly job_state: AppDomain['jobState']
  readonly job_error: string | null
  readonly job_target: string
}
const jobIn = (row: JoinedJob) => ({
  jobState: row.job_state,
  jobError: row.job_error ?? undefined,
  jobTarget: row.job_target,
})

/** Reads a row of `app_domains` with its job. */
export const toAppDomain = (row: JoinedJob): AppDomain => ({ ...readDomain(row), ...jobIn(row) })

const readDatabase = valuesOf(AppDatabaseEntity)
/** Reads a row of `app_databases` with its job. */
export const toAppDatabase = (row: JoinedJob): AppDatabase => ({ ...readDatabase(row), ...jobIn(row) })
