import { optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { present } from '../../kernel/present.ts'
import { Problem } from '../../kernel/problem.ts'
import { ofLicense } from '../../kernel/scope.ts'
import { flag, listOf, matching, oneOf, shape, text, type ViewOf, whole } from '../../kernel/validation.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import type { Operator } from '../../platform/operations/operator.ts'
import type { Agents } from '../agents/agents.ts'
import type { Deployment } from '../deployments/deployments-store.ts'
import { JOB_STATES } from '../jobs/job.ts'
import { JOB_ANSWERS } from '../jobs/job-answers.ts'
import { madeAnswer } from '../jobs/job-operations.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { type App, VARIABLES, type Variable } from './app.ts'
import type { AppPlace } from './app-place.ts'
import type { Apps } from './apps.ts'

/** The services that operations on apps use. */
export interface AppUses {
  readonly agents: Pick<Agents, 'resolve'>
  readonly apps: Apps
  readonly jobs: Pick<Jobs, 'warning'>
  readonly licenses: Pick<Licenses, 'resolve'>
}

const operation = operationOf<AppUses>()

const ANY = Number.POSITIVE_INFINITY
const count = whole(0, Number.MAX_SAFE_INTEGER)
const word = text(0, 4096)
const NAME = matching(/^[a-z0-9][a-z0-9-]{0,62}$/, 'an app name: a-z, 0-9 and dashes, at most 63 characters')
const SHA = matching(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'a full commit id of 40 or 64 lower-case hex digits')
/** An app as operators name it. */
const named = { app: text(1, 128), license: optional(text(1, 512)) }
const settings = { host: optional(text(0, 512)), repo_url: optional(text(0, 512)) }

const RELEASE = {
  id: word,
  job_id: word,
  sha: optional(word),
  state: oneOf(JOB_STATES),
  created_at: count,
}
const APP = {
  id: word,
  license_id: word,
  name: word,
  host: optional(word),
  repo_url: optional(word),
  git_hook: optional(word),
  variables: count,
  env_revision: count,
  last_deployment: optional(shape(RELEASE)),
  created_at: count,
  updated_at: count,
}
const VARIABLE = { name: word, secret: flag(), value: optional(word), updated_at: count }

/** An app as operators see it. */
export type AppView = ViewOf<typeof APP>
/** A deployment of an app as operators see it. */
export type ReleaseView = ViewOf<typeof RELEASE>
/** A variable as operators see it: the value of a secret is never shown. */
export type VariableView = ViewOf<typeof VARIABLE>

const releaseView = ({ id, jobId, source: { sha }, state, createdAt }: Deployment): ReleaseView => ({
  ...{ id, job_id: jobId, state, created_at: unixSeconds(createdAt) },
  ...(typeof sha === 'string' ? { sha } : {}),
})
const variableView = ({ name, value, updatedAt }: Variable): VariableView => ({
  ...{ name, secret: value === undefined, updated_at: unixSeconds(updatedAt) },
  ...present('value', value),
})
const appView = (
  { app, hook, repoUrl, fingerprint }: AppPlace,
  variables: number,
  last: Deployment | undefined,
): AppView => ({
  ...{ id: app.id, license_id: app.licenseId, name: app.name, variables, env_revision: app.envRevision },
  ...present('host', fingerprint),
  ...present('repo_url', repoUrl),
  ...present('git_hook', hook?.id),
  ...present('last_deployment', last && releaseView(last)),
  created_at: unixSeconds(app.createdAt),
  updated_at: unixSeconds(app.updatedAt),
})

async function viewOf({ apps }: AppUses, app: App): Promise<AppView> {
  const [place, variables, [last]] = await Promise.all([
    apps.place(app),
    apps.variables(app),
    apps.releases(app, 1),
  ])
  return appView(place, variables.length, last)
}

/** The app that an operator names, in the license that they name if they do. */
async function appOf(
  { apps, licenses }: AppUses,
  { app, license }: { readonly app: string; readonly license?: string | undefined },
  { scope }: Operator,
): Promise<App> {
  if (license === undefined) return apps.resolve(scope, app)
  return apps.resolve(ofLicense(await licenses.resolve(scope, license)), app)
}

/** Settings as they are stored; an empty text leaves the choice to the git hook again. */
async function settingsOf(
  { agents }: AppUses,
  licenseId: string,
  { host, repo_url }: { readonly host?: string | undefined; readonly repo_url?: string | undefined },
) {
  const agent = host ? await agents.resolve(ofLicense(licenseId), host) : undefined
  return {
    ...(host === undefined ? {} : { fingerprint: agent?.fingerprint }),
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
  answer: { app: shape(APP) },
  run: async (services, { name, license, ...given }, { scope }) => {
    const licenseId = await services.licenses.resolve(scope, license)
    const wishes = { fingerprint: undefined, repoUrl: undefined }
    const app = await services.apps.create(licenseId, name, {
      ...wishes,
      ...(await settingsOf(services, licenseId, given)),
    })
    return { app: await viewOf(services, app) }
  },
})

const list = operation({
  name: 'apps.list',
  summary: 'list the apps',
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  input: { license: optional(text(1, 512)) },
  answer: { apps: listOf(shape(APP), ANY) },
  run: async (services, { license }, { scope }) => {
    const within = license === undefined ? scope : ofLicense(await services.licenses.resolve(scope, license))
    const apps: AppView[] = []
    for (const app of await services.apps.list(within)) apps.push(await viewOf(services, app))
    return { apps }
  },
})

const show = operation({
  name: 'apps.show',
  summary: 'show an app: its host, source, variables and last deployment',
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  input: named,
  answer: { app: shape(APP) },
  run: async (services, given, operator) => ({
    app: await viewOf(services, await appOf(services, given, operator)),
  }),
})

const set = operation({
  name: 'apps.set',
  summary: 'change the host or the repository of an app; an empty value leaves it to the git hook',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: { ...named, ...settings },
  answer: { app: shape(APP) },
  run: async (services, { app: _, license: __, ...given }, operator) => {
    const app = await appOf(services, { app: _, license: __ }, operator)
    const wishes = await settingsOf(services, app.licenseId, given)
    if (Object.keys(wishes).length === 0)
      throw new Problem('invalid-input', { details: ['host: expected host or repo_url'] })
    return { app: await viewOf(services, await services.apps.set(app, wishes)) }
  },
})

const remove = operation({
  name: 'apps.remove',
  summary: 'forget an app with its variables; what runs on its host stays',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: named,
  answer: { id: word, app: word },
  run: async (services, given, operator) => {
    const app = await appOf(services, given, operator)
    await services.apps.remove(app)
    return { id: app.id, app: app.name }
  },
})

const deploy = operation({
  name: 'apps.deploy',
  summary: 'deploy a commit of an app, or its last one again',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: { ...named, sha: optional(SHA), ref: optional(text(1, 255)) },
  answer: { id: word, app: word, ...JOB_ANSWERS.made },
  run: async (services, { sha, ref, ...given }, operator) => {
    const app = await appOf(services, given, operator)
    const made = await services.apps.deploy(app, { sha, ref })
    return { id: app.id, app: app.name, ...(await madeAnswer(services, operator, made)) }
  },
})

const rollback = operation({
  name: 'apps.rollback',
  summary: 'deploy the last good commit before the live one, or a named earlier one',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: { ...named, to: optional(text(4, 64)) },
  answer: { id: word, app: word, ...JOB_ANSWERS.made },
  run: async (services, { to, ...given }, operator) => {
    const app = await appOf(services, given, operator)
    const made = await services.apps.rollback(app, to)
    return { id: app.id, app: app.name, ...(await madeAnswer(services, operator, made)) }
  },
})

const releases = operation({
  name: 'apps.releases',
  summary: 'list the deployments of an app, newest first',
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  input: { ...named, limit: optional(whole(1, 500)) },
  answer: { id: word, app: word, releases: listOf(shape(RELEASE), ANY) },
  run: async (services, { limit = 20, ...given }, operator) => {
    const app = await appOf(services, given, operator)
    const found = await services.apps.releases(app, limit)
    return { id: app.id, app: app.name, releases: found.map(releaseView) }
  },
})

const env = operation({
  name: 'apps.env-list',
  summary: 'list the variables of an app; values of secrets are not shown',
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  input: named,
  answer: { id: word, app: word, revision: count, variables: listOf(shape(VARIABLE), ANY) },
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
  create,
  list,
  show,
  set,
  remove,
  deploy,
  rollback,
  releases,
  env,
  setEnv,
  unsetEnv,
]
