import { optional } from 'superstruct'
import { present } from '../../kernel/present.ts'
import { Problem } from '../../kernel/problem.ts'
import { ofLicense } from '../../kernel/scope.ts'
import {
  flag,
  listOf,
  matching,
  namedFields,
  namedShape,
  shape,
  text,
  whole,
} from '../../kernel/validation.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import type { Operator } from '../../platform/operations/operator.ts'
import type { Agents } from '../agents/agents.ts'
import { JOB_ANSWERS } from '../jobs/job-answers.ts'
import { madeAnswer } from '../jobs/job-operations.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { App } from './app.ts'
import type { AppDatabases } from './app-databases.ts'
import type { AppDomains } from './app-domains.ts'
import { SHA } from './app-logs.ts'
import type { AppMoves } from './app-moves.ts'
import type { MadeJob } from './app-place.ts'
import { RELEASE_VIEW, releaseView } from './app-view.ts'
import type { RunWish } from './app-wishes.ts'
import type { Apps } from './apps.ts'

/** The services that operations on apps use. */
export interface AppUses {
  readonly agents: Pick<Agents, 'resolve'>
  readonly apps: Apps
  readonly appDatabases: AppDatabases
  readonly appDomains: AppDomains
  readonly appMoves: AppMoves
  readonly jobs: Pick<Jobs, 'warning'>
  readonly licenses: Pick<Licenses, 'resolve'>
}

/** Declares an operation on apps. */
export const operation = operationOf<AppUses>()

/** An app as operators name it. */
export const named = { app: text(1, 128), license: optional(text(1, 512)) }

/** The app that an operator names, in the license that they name if they do. */
export async function appOf(
  { apps, licenses }: AppUses,
  { app, license }: { readonly app: string; readonly license?: string | undefined },
  { scope }: Operator,
): Promise<App> {
  if (license === undefined) return apps.resolve(scope, app)
  return apps.resolve(ofLicense(await licenses.resolve(scope, license)), app)
}

const ANY = Number.POSITIVE_INFINITY
const word = text(0, 4096)
/** The job that carries a wish out. `note`: that things are so already. */
export const MADE = namedFields('AppJob', {
  ...{ id: word, app: word, ...JOB_ANSWERS.made, note: optional(word) },
  /** The jobs that follow on further hosts, each when the one before it has succeeded. */
  next: optional(listOf(namedShape('FollowingJob', { job_id: word, host: word }), ANY)),
})

/** Answers an operation whose wish a job of the app's host carries out. */
export async function madeFor(
  services: AppUses,
  operator: Operator,
  { id, name }: App,
  made: MadeJob,
  note?: string,
) {
  const next = made.job.successors?.map(({ id: jobId, target }) => ({ job_id: jobId, host: target }))
  const answer = await madeAnswer(services, operator, made)
  return { id, app: name, ...answer, ...present('note', note), ...present('next', next) }
}

const deploy = operation({
  name: 'apps.deploy',
  summary: 'deploy a commit of an app, or its last one again',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: {
    ...named,
    sha: optional(SHA),
    ref: optional(text(1, 255)),
    force: optional(flag()),
    /** Whether its host has the commit from an upload. */
    uploaded: optional(flag()),
  },
  answer: MADE,
  run: async (services, { sha, ref, force, uploaded, ...given }, operator) => {
    if (uploaded && (sha === undefined || ref !== undefined))
      throw new Problem('invalid-input', { details: ['uploaded: expected it with a sha and without a ref'] })
    const app = await appOf(services, given, operator)
    const made = await services.apps.deploy(app, {
      ...{ sha, ref, uploaded, restart: force },
      madeBy: operator.name,
    })
    return madeFor(services, operator, app, made)
  },
})

const rollback = operation({
  name: 'apps.rollback',
  summary: 'deploy the last good commit before the live one, or a named earlier one',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: {
    ...named,
    to: optional(text(1, 128)),
    /** Whether it gets the variables that it had, in place of those of today. */
    with_env: optional(flag()),
  },
  answer: MADE,
  run: async (services, { to, with_env: withEnv, ...given }, operator) => {
    const app = await appOf(services, given, operator)
    const made = await services.apps.rollback(app, to, { withEnv, madeBy: operator.name })
    return madeFor(services, operator, app, made)
  },
})

/** The host that an operator names for an app; undefined: its own. */
async function hostNamed({ agents }: AppUses, { licenseId }: App, host: string | undefined) {
  return host === undefined ? undefined : (await agents.resolve(ofLicense(licenseId), host)).fingerprint
}

const RUN = { ...named, host: optional(text(1, 512)) }

const stop = operation({
  name: 'apps.stop',
  summary: 'end the processes of an app; its files stay, and start brings them back',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: RUN,
  answer: MADE,
  run: async (services, { host, ...given }, operator) => {
    const app = await appOf(services, given, operator)
    const { state } = await services.apps.state(app)
    const fingerprint = await hostNamed(services, app, host)
    const made = await services.apps.stop(app, { fingerprint })
    const isStopped = state === 'stopped' || state === 'removed'
    const note = isStopped ? `${app.name} is ${state} already: the job makes sure of it` : undefined
    return madeFor(services, operator, app, made, note)
  },
})

const start = operation({
  name: 'apps.start',
  summary: 'start the live release of a stopped app; one that runs is left alone',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: RUN,
  answer: MADE,
  run: async (services, { host, ...given }, operator) => {
    const app = await appOf(services, given, operator)
    const { state } = await services.apps.state(app)
    const fingerprint = await hostNamed(services, app, host)
    const made = await services.apps.start(app, { fingerprint, madeBy: operator.name })
    const note =
      state === 'deployed'
        ? `${app.name} was not stopped: its host leaves a release alone that runs with these variables`
        : undefined
    return madeFor(services, operator, app, made, note)
  },
})

const restart = operation({
  name: 'apps.restart',
  summary: 'replace the processes of an app by new ones of its live release',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: RUN,
  answer: MADE,
  run: async (services, { host, ...given }, operator) => {
    const app = await appOf(services, given, operator)
    const fingerprint = await hostNamed(services, app, host)
    const made = await services.apps.start(app, { fingerprint, restart: true, madeBy: operator.name })
    return madeFor(services, operator, app, made)
  },
})

/** Makes the job that changes an app which runs, and answers. */
async function adjusted(
  services: AppUses,
  { host, ...given }: Parameters<typeof appOf>[1] & { readonly host?: string | undefined },
  operator: Operator,
  wish: Pick<RunWish, 'scale' | 'maintenance'>,
) {
  const app = await appOf(services, given, operator)
  const fingerprint = await hostNamed(services, app, host)
  const made = await services.apps.adjust(app, { ...wish, fingerprint, madeBy: operator.name })
  return madeFor(services, operator, app, made)
}

const PROCESS = { process: matching(/^[a-z][a-z0-9-]{0,31}$/, 'the name of a process'), count: whole(0, 10) }

const scale = operation({
  name: 'apps.scale',
  summary: 'change how many instances of its processes an app has; later deploys keep it',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: { ...RUN, processes: listOf(shape(PROCESS), 16) },
  answer: MADE,
  run: async (services, { processes, ...given }, operator) => {
    if (processes.length === 0)
      throw new Problem('invalid-input', { details: ['processes: expected one at least'] })
    const counts = Object.fromEntries(processes.map(({ process, count }) => [process, count]))
    return adjusted(services, given, operator, { scale: counts })
  },
})

const maintenance = operation({
  name: 'apps.maintenance',
  summary: 'turn visitors of an app away with 503 while its processes run, or let them in again',
  permission: 'platform.deploy',
  scope: 'tenant',
  changes: true,
  input: { ...RUN, on: flag() },
  answer: MADE,
  run: (services, { on, ...given }, operator) => adjusted(services, given, operator, { maintenance: on }),
})

const releases = operation({
  name: 'apps.releases',
  summary: 'list the deployments of an app, newest first',
  permission: 'platform.read',
  scope: 'tenant',
  changes: false,
  input: { ...named, limit: optional(whole(1, 500)) },
  answer: { id: word, app: word, releases: listOf(RELEASE_VIEW, ANY) },
  run: async (services, { limit = 20, ...given }, operator) => {
    const app = await appOf(services, given, operator)
    const found = await services.apps.releases(app, limit)
    return { id: app.id, app: app.name, releases: found.map(releaseView) }
  },
})

/** Operations that run, end or list the deployments of apps. */
export const appRunOperations = [deploy, rollback, stop, start, restart, scale, maintenance, releases]
