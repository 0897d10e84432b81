import { defineEntity, p } from '@mikro-orm/core'
import {
  fact,
  sealed,
  type TablesOf,
  time,
  valuesOf,
  verbatim,
  word,
} from '../../platform/database/table-sql.ts'
import { statementsOver } from '../../platform/database/typed-statement.ts'
import type { App, Variable } from './app.ts'

/** Table `apps`. */
export const AppEntity = defineEntity({
  name: 'App',
  tableName: 'apps',
  properties: {
    id: word(p.text().primary()),
    licenseId: word(p.text()),
    name: fact(p.text()),
    fingerprint: fact(p.text().nullable()),
    repoUrl: fact(p.text().nullable()),
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

/** Its tables. */
export const entities = [AppEntity, AppVariableEntity]

interface Tables extends TablesOf<typeof AppEntity | typeof AppVariableEntity> {}

/** Statements over them. */
export const { statement, scoped } = statementsOver<Tables>()

/** Reads a row of `apps`. */
export const toApp: (row: object) => App = valuesOf(AppEntity)
/** Reads a row of `app_variables`. */
export const toVariable: (row: object) => Variable = valuesOf(AppVariableEntity, 'id', 'appId')
