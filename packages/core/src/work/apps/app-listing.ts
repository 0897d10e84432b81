import type { Scope } from '../../kernel/scope.ts'
import type { Stores } from '../../platform/storage/storage.ts'
import type { Deployment } from '../deployments/deployments-store.ts'
import { type App, appIdOf } from './app.ts'
import { type AppPlace, placeBy } from './app-place.ts'
import type { ObservedApp } from './observed-app.ts'
import { registryOf } from './registry-login.ts'

/** Most apps in a list. */
export const APPS_LISTED = 500

/** An app with all that lists tell of it. */
export interface ListedApp {
  readonly place: AppPlace
  /** The number of its variables. */
  readonly variables: number
  /** Its newest deployment. */
  readonly last: Deployment | undefined
  /** Its state on each of its hosts, as they told it last. */
  readonly observed: readonly ObservedApp[]
}

/** Reads all that lists tell of some apps of a scope: four statements, whatever their number. */
export async function listedIn(
  stores: Pick<Stores, 'apps' | 'deployments' | 'gitHooks' | 'observedApps'>,
  scope: Scope,
  apps: readonly App[],
): Promise<readonly ListedApp[]> {
  if (apps.length === 0) return []
  const names = [...new Set(apps.map(({ name }) => name))]
  const [hooks, variables, newest, observed] = await Promise.all([
    stores.gitHooks.find(scope, ...names),
    stores.apps.variableNames(apps.map(({ id }) => id)),
    stores.deployments.newestOf(apps.map(({ licenseId, name }) => ({ licenseId, app: name }))),
    stores.observedApps.list(scope, names),
  ])
  const own = Map.groupBy(
    variables.filter(({ name }) => registryOf(name) === undefined),
    ({ appId }) => appId,
  )
  const seen = Map.groupBy(observed, ({ licenseId, app }) => appIdOf(licenseId, app))
  const last = new Map(newest.map((each) => [appIdOf(each.licenseId, each.app), each]))
  return apps.map((app) => ({
    place: placeBy(app, hooks),
    variables: own.get(app.id)?.length ?? 0,
    last: last.get(app.id),
    observed: seen.get(app.id) ?? [],
  }))
}
