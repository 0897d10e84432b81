import {
  type App,
  type AppMove,
  type AppSettings,
  type AppsStore,
  appIdOf,
  type NewApp,
  type NewVariable,
  type Variable,
  variableId,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { isWithin } from '../../scoped-rows.ts'
import { byBytes } from '../../text-order.ts'
import type { MemoryAppDomain } from './app-domains-store-memory.ts'

/** A variable as the fake stores it. */
export type MemoryVariable = Variable & { readonly id: string; readonly appId: string }

/** Apps in memory. */
export function memoryAppsStore(tables: MemoryTables, run: Run, time: () => Date): AppsStore {
  const apps = tables.of<App>('apps')
  const variables = tables.of<MemoryVariable>('appVariables')
  const domains = tables.of<MemoryAppDomain>('appDomains')
  const put = (app: App): App => {
    apps.put(app.id, app)
    return app
  }
  const make = ({ licenseId, name, ...settings }: NewApp, now: Date): App =>
    put({
      ...settings,
      ...{
        id: appIdOf(licenseId, name),
        licenseId,
        name,
        move: undefined,
        envRevision: 0,
        createdAt: now,
        updatedAt: now,
      },
    })
  const within = (scope: Parameters<AppsStore['get']>[0]) =>
    apps.all().filter((app) => isWithin(tables, scope, app))
  const ofApp = (appId: string) => variables.all().filter((each) => each.appId === appId)
  const revise = (id: string, now: Date) => {
    const app = apps.get(id)
    if (app !== undefined) put({ ...app, envRevision: app.envRevision + 1, updatedAt: now })
    return app !== undefined
  }
  return {
    ensure: ({ licenseId, name }, now = time()) =>
      run(() => {
        if (apps.get(appIdOf(licenseId, name)) !== undefined) return
        make({ licenseId, name, fingerprint: undefined, moreHosts: [], repoUrl: undefined }, now)
      }),
    add: (app: NewApp, max: number, now = time()) =>
      run(() => {
        const isThere = apps.get(appIdOf(app.licenseId, app.name)) !== undefined
        const own = apps.all().filter(({ licenseId }) => licenseId === app.licenseId)
        return isThere || own.length >= max ? undefined : make(app, now)
      }),
    change: (id: string, { fingerprint, moreHosts, repoUrl }: AppSettings, now = time()) =>
      run(() => {
        const app = apps.get(id)
        return app && put({ ...app, fingerprint, moreHosts, repoUrl, updatedAt: now })
      }),
    setMove: (id: string, move: AppMove | undefined, now = time()) =>
      run(() => {
        const app = apps.get(id)
        if (app !== undefined) put({ ...app, move: structuredClone(move), updatedAt: now })
      }),
    remove: (id: string) =>
      run(() => {
        const isThere = apps.get(id) !== undefined
        for (const variable of ofApp(id)) variables.put(variable.id, undefined)
        for (const domain of domains.all()) if (domain.appId === id) domains.put(domain.id, undefined)
        apps.put(id, undefined)
        return isThere
      }),
    get: (scope, id) => run(() => within(scope).find((app) => app.id === id)),
    lock: (id: string) => run(() => apps.get(id)),
    find: (scope, idOrName) =>
      run(() =>
        within(scope)
          .filter(({ id, name }) => id === idOrName || name === idOrName)
          .sort((one, other) => byBytes(one.id, other.id)),
      ),
    list: (scope, limit) =>
      run(() =>
        within(scope)
          .sort((one, other) => byBytes(one.name, other.name) || byBytes(one.id, other.id))
          .slice(0, limit),
      ),
    variables: (appId: string) =>
      run(() =>
        ofApp(appId)
          .sort((one, other) => byBytes(one.name, other.name))
          .map(({ id: _, appId: __, ...variable }) => variable),
      ),
    variableNames: (appIds: readonly string[]) =>
      run(() => appIds.flatMap((appId) => ofApp(appId).map(({ name }) => ({ appId, name })))),
    setVariables: (appId: string, given: readonly NewVariable[], now = time()) =>
      run(() => {
        if (given.length === 0 || !revise(appId, now)) return
        for (const variable of given) {
          const id = variableId(appId, variable.name)
          variables.put(id, { ...variable, id, appId, updatedAt: now })
        }
      }),
    unsetVariables: (appId: string, names: readonly string[], now = time()) =>
      run(() => {
        const gone = ofApp(appId).filter(({ name }) => names.includes(name))
        for (const { id } of gone) variables.put(id, undefined)
        if (gone.length > 0) revise(appId, now)
        return gone.map(({ name }) => name).sort(byBytes)
      }),
  }
}
