import { optional } from 'superstruct'
import { present } from '../../kernel/present.ts'
import { Problem } from '../../kernel/problem.ts'
import { ofLicense } from '../../kernel/scope.ts'
import { flag, listOf, matching, namedShape, shape, text, whole } from '../../kernel/validation.ts'
import { type App, MAX_HOSTS, VARIABLES } from './app.ts'
import { appCronOperations } from './app-cron-operations.ts'
import { appDatabaseOperations } from './app-database-operations.ts'
import { appDomainOperations } from './app-domain-operations.ts'
import type { ListedApp } from './app-listing.ts'
import { appMoveOperations } from './app-move-operations.ts'
import { appRegistryOperations } from './app-registry-operations.ts'
import { type AppUses, appOf, appRunOperations, named, operation } from './app-run-operations.ts'
import {
  APP_VIEW,
  type AppView,
  appView,
  observedView,
  stateView,
  VARIABLE,
  variableView,
} from './app-view.ts'
import type { Apps } from './apps.ts'

const ANY = Number.POSITIVE_INFINITY
const count = whole(0, Number.MAX_SAFE_INTEGER)
const word = text(0, 4096)
const NAME = matching(/^[a-z0-9][a-z0-9-]{0,62}$/, 'an app name: a-z, 0-9 and dashes, at most 63 characters')
const settings = {
  host: optional(text(0, 512)),
  /** Several hosts, in the order of deploys, in the place of `host`. */
  hosts: optional(listOf(text(1, 512), MAX_HOSTS)),
  repo_url: optional(text(0, 512)),
}

/** An app in a list. */
function listedView({ place, variables, last, observed }: ListedApp): AppView {
  const view = appView(place, variables, last)
  return observed.length === 0 ? view : { ...view, observed: observed.map(observedView) }
}

/** An app with its state. */
async function viewOf(apps: Apps, app: App): Promise<AppView> {
  const place = await apps.place(app)
  const [variables, observed, state, drifts] = await Promise.all([
    apps.variables(app),
    apps.observed(ofLicense(app.licenseId), [app.name]),
    apps.state(app, place),
    apps.drifts(app),
  ])
  const view = listedView({ place, variables: variables.length, last: state.last, observed })
  const seen = view.observed?.map((each) => ({
    ...each,
    ...present('expected_sha', drifts.find(({ fingerprint }) => fingerprint === each.host)?.expected),
  }))
  return { ...view, ...present('observed', seen), ...stateView(state) }
}

interface GivenSettings {
  readonly host?: string | undefined
  readonly hosts?: readonly string[] | undefined
  readonly repo_url?: string | undefined
}

/** Settings as they are stored; an empty text leaves the choice to the git hook again. */
async function settingsOf({ agents }: AppUses, licenseId: string, { host, hosts, repo_url }: GivenSettings) {
  if (host !== undefined && hosts !== undefined)
    throw new Problem('invalid-input', { details: ['hosts: expected host or hosts'] })
  const found: string[] = []
  for (const each of hosts ?? (host ? [host] : []))
    found.push((await agents.resolve(ofLicense(licenseId), each)).fingerprint)
  const [fingerprint, ...moreHosts] = found
  return {
    ...(host === undefined && hosts === undefined ? {} : { fingerprint, moreHosts }),
    ...(repo_url === undefined ? {} : { repoUrl: repo_url || undefined }),
  }
}

const create = operation({
  name: 'apps.create',
  summary: 'make an app; a git hook or a first deploy makes it too',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: { name: NAME, license: text(1, 512), ...settings },
  answer: { app: APP_VIEW },
  run: async (services, { name, license, ...given }, { scope }) => {
    const licenseId = await services.licenses.resolve(scope, license)
    const wishes = { fingerprint: undefined, moreHosts: [], repoUrl: undefined }
    const app = await services.apps.create(licenseId, name, {
      ...wishes,
      ...(await settingsOf(services, licenseId, given)),
    })
    return { app: await viewOf(services.apps, app) }
  },
})

const list = operation({
  name: 'apps.list',
  summary: 'list the apps',
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  input: { license: optional(text(1, 512)) },
  answer: { apps: listOf(APP_VIEW, ANY) },
  run: async (services, { license }, { scope }) => {
    const within = license === undefined ? scope : ofLicense(await services.licenses.resolve(scope, license))
    return { apps: (await services.apps.listed(within)).map(listedView) }
  },
})

const show = operation({
  name: 'apps.show',
  summary: 'show an app: its hosts, source, variables and last deployment',
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  input: named,
  answer: { app: APP_VIEW },
  run: async (services, given, operator) => ({
    app: await viewOf(services.apps, await appOf(services, given, operator)),
  }),
})

const set = operation({
  name: 'apps.set',
  summary: 'change the hosts or the repository of an app; an empty value leaves it to the git hook',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: { ...named, ...settings },
  answer: { app: APP_VIEW },
  run: async (services, { app: _, license: __, ...given }, operator) => {
    const app = await appOf(services, { app: _, license: __ }, operator)
    const wishes = await settingsOf(services, app.licenseId, given)
    if (Object.keys(wishes).length === 0)
      throw new Problem('invalid-input', { details: ['host: expected host, hosts or repo_url'] })
    return { app: await viewOf(services.apps, await services.apps.set(app, wishes)) }
  },
})

const remove = operation({
  name: 'apps.remove',
  summary:
    'forget an app with its variables and domains; what runs on its host stays, unless its data goes too',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: { ...named, data: optional(flag()) },
  answer: { id: word, app: word, job_id: optional(word), databases: optional(listOf(word, ANY)) },
  run: async (services, { data, ...given }, operator) => {
    const app = await appOf(services, given, operator)
    const made = await services.apps.remove(app, { data, madeBy: operator.name })
    const { databases } = made ?? {}
    return {
      id: app.id,
      app: app.name,
      ...present('job_id', made?.job.id),
      ...present('databases', databases),
    }
  },
})

const env = operation({
  name: 'apps.env-list',
  summary: 'list the variables of an app; values of secrets are not shown',
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  input: named,
  answer: { id: word, app: word, revision: count, variables: listOf(namedShape('Variable', VARIABLE), ANY) },
  run: async (services, given, operator) => {
    const app = await appOf(services, given, operator)
    const variables = await services.apps.variables(app)
    return { id: app.id, app: app.name, revision: app.envRevision, variables: variables.map(variableView) }
  },
})

const setEnv = operation({
  name: 'apps.env-set',
  summary: 'set variables of an app, as secrets unless they are plain; the next deploy has them',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: {
    ...named,
    variables: listOf(
      shape({ name: text(1, VARIABLES.nameChars), value: text(0, VARIABLES.valueBytes) }),
      VARIABLES.names,
    ),
    plain: optional(flag()),
  },
  answer: { id: word, app: word, revision: count, names: listOf(word, ANY) },
  run: async (services, { variables, plain = false, ...given }, operator) => {
    const app = await appOf(services, given, operator)
    const values = Object.fromEntries(variables.map(({ name, value }) => [name, value]))
    const revision = await services.apps.setVariables(app, values, !plain)
    return { id: app.id, app: app.name, revision, names: Object.keys(values).sort() }
  },
})

const unsetEnv = operation({
  name: 'apps.env-unset',
  summary: 'remove variables of an app; the next deploy is without them',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: { ...named, names: listOf(text(1, VARIABLES.nameChars), VARIABLES.names) },
  answer: { id: word, app: word, removed: listOf(word, ANY) },
  run: async (services, { names, ...given }, operator) => {
    const app = await appOf(services, given, operator)
    return { id: app.id, app: app.name, removed: await services.apps.unsetVariables(app, names) }
  },
})

/** Operations on apps. */
export const appOperations = [
  ...[create, list, show, set, remove, ...appRunOperations, env, setEnv, unsetEnv],
  ...appDomainOperations,
  ...appRegistryOperations,
  ...appCronOperations,
  ...appDatabaseOperations,
  ...appMoveOperations,
]
