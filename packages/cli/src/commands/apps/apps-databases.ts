import type { AppDatabaseView } from '@svc/core'
import { given, type Handler } from '../../program/command-run.ts'
import { databasesTable } from './app-tables.ts'
import { deployed, type FollowOptions } from './apps-deploy.ts'
import type { AppOptions } from './apps-show.ts'

interface DatabaseOptions extends FollowOptions {
  readonly engine?: string
  readonly as?: string
  readonly confirm?: string
  readonly dump?: string
}

/** Returns the handler that gives an order about a database. */
export const orderDatabase =
  (operation: string): Handler<DatabaseOptions> =>
  (run) => {
    const { license, engine, as, confirm, dump } = run.options
    const how = { license, engine, as, confirm, dump }
    return deployed(run, operation, given({ app: run.arg(0), name: run.arg(1), ...how }))
  }

/** Lists the databases of an app's license. */
export const listDatabases: Handler<AppOptions> = async (run) => {
  const input = given({ app: run.arg(0), license: run.options.license })
  const answer = await run.operate<{ databases: readonly AppDatabaseView[] }>('apps.databases-list', input)
  run.print(answer, (page) => databasesTable(answer.databases, page))
  for (const { name, reason } of answer.databases) if (reason !== undefined) run.hint(`${name}: ${reason}`)
  if (answer.databases.length === 0)
    run.hint('No databases yet: svc apps databases create APP NAME makes one.')
}
