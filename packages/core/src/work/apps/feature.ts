import type { Config } from '../../platform/config/config.ts'
import { featureOf } from '../../platform/feature.ts'
import { AppDatabases, type AppDatabasesParts } from './app-databases.ts'
import { AppDomains, type AppDomainsParts } from './app-domains.ts'
import { AppMoves, type AppMovesParts } from './app-moves.ts'
import { appOperations } from './app-operations.ts'
import { AppVariables } from './app-variables.ts'
import { Apps, type AppsParts } from './apps.ts'

/** The services of apps. */
export interface AppServices {
  readonly apps: Apps
  readonly appDatabases: AppDatabases
  readonly appDomains: AppDomains
  readonly appMoves: AppMoves
  readonly appVariables: AppVariables
}

/** The host names under which the service and its relays are reached. */
const ownNames = ({ service, relay }: Config): ReadonlySet<string> =>
  new Set([service.publicUrl ?? [], relay.urls].flat().map((url) => new URL(url).hostname))

/** Applications, the variables that their hosts get, and their domains. */
export const apps = featureOf<{
  readonly jobs: AppsParts['jobs'] &
    AppDomainsParts['jobs'] &
    AppDatabasesParts['jobs'] &
    AppMovesParts['jobs']
}>()({
  sql: () => import('./apps-store-sql.ts'),
  services: (base, { jobs }): AppServices => ({
    apps: new Apps({ ...base, jobs }),
    appDatabases: new AppDatabases({ ...base, jobs }),
    appDomains: new AppDomains({ ...base, jobs, ownNames: ownNames(base.config) }),
    appMoves: new AppMoves({ ...base, jobs }),
    appVariables: new AppVariables(base),
  }),
  operations: appOperations,
})
