import { featureOf } from '../../platform/feature.ts'
import { appOperations } from './app-operations.ts'
import { AppVariables } from './app-variables.ts'
import { Apps, type AppsParts } from './apps.ts'

/** The services of apps. */
export interface AppServices {
  readonly apps: Apps
  readonly appVariables: AppVariables
}

/** Applications, and the variables that their hosts get. */
export const apps = featureOf<Pick<AppsParts, 'jobs'>>()({
  sql: () => import('./apps-store-sql.ts'),
  services: (base, { jobs }): AppServices => ({
    apps: new Apps({ ...base, jobs }),
    appVariables: new AppVariables(base),
  }),
  operations: appOperations,
})
