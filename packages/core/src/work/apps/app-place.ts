import { Problem } from '../../kernel/problem.ts'
import { ofLicense } from '../../kernel/scope.ts'
import { placeOf } from '../../platform/secrets/secrets-store.ts'
import type { Stores } from '../../platform/storage/storage.ts'
import type { GitHook } from '../git/git-hook.ts'
import type { Job } from '../jobs/job.ts'
import type { EnqueueInput } from '../jobs/new-job.ts'
import { type App, hostsOf, variableId } from './app.ts'

/** An app with the source and the host that its deploys have. */
export interface AppPlace {
  readonly app: App
  readonly hook: GitHook | undefined
  readonly repoUrl: string | undefined
  /** Full fingerprints of its hosts, in the order of deploys; its release command runs on the first. */
  readonly hosts: readonly string[]
}

/** The job of an order, and whether the order made it. */
export interface MadeJob {
  readonly job: Job
  readonly created: boolean
}

/** The place that a secret variable is sealed for. */
export const variablePlace = (appId: string, name: string): string =>
  placeOf('appVariables', variableId(appId, name))

/** Returns the source and the hosts of an app: its own, else those of its git hook. */
export async function placeIn({ gitHooks }: Pick<Stores, 'gitHooks'>, app: App): Promise<AppPlace> {
  const hooks = await gitHooks.find(ofLicense(app.licenseId), app.name)
  return placeBy(app, hooks)
}

/** Returns the source and the hosts of an app; the hook of its license and name is among `hooks`. */
export function placeBy(app: App, hooks: readonly GitHook[]): AppPlace {
  const hook = hooks.find((each) => each.app === app.name && each.licenseId === app.licenseId)
  return {
    app,
    hook,
    repoUrl: app.repoUrl ?? hook?.repoUrl,
    hosts: hostsOf(app, hook?.fingerprint),
  }
}

/** The place of an app at another host, if one is named. */
export const hostedAt = (place: AppPlace, fingerprint: string | undefined): AppPlace =>
  fingerprint === undefined ? place : { ...place, hosts: [fingerprint] }

/** The hosts of an app as a job goes through them. @throws Problem `conflict` when it has none */
export function requireHosts({ app, hosts }: AppPlace): Pick<EnqueueInput, 'target' | 'successors'> {
  const [target, ...successors] = hosts
  if (target !== undefined) return { target, ...(successors.length === 0 ? {} : { successors }) }
  throw lacks(app.name, 'host: --host HOST')
}

/** The one host of an app that keeps data there. @throws Problem `conflict` when it has none, or several */
export function requireOneHost(place: AppPlace, what: string): string {
  const { target = '', successors } = requireHosts(place)
  if (successors === undefined) return target
  const { name } = place.app
  throw new Problem('conflict', {
    detail: `${name} has ${place.hosts.length} hosts, and ${what} is on one: svc apps set ${name} --host HOST`,
  })
}

/** The refusal of an order for an app that lacks a setting. */
export const lacks = (name: string, lack: string): Problem =>
  new Problem('conflict', { detail: `${name} has no ${lack} of svc apps set ${name} names it` })

/** The refusal of an app that is not there. */
export const noApp = (name: string): Problem =>
  new Problem('not-found', { detail: `there is no app ${name}: svc apps list shows them` })

/** The refusal of a name that several licenses have an app of. */
export function severalApps(name: string, found: readonly App[]): Problem {
  const candidates = found.map(({ id }) => id)
  const detail = `several licenses have an app ${name}: name one of ${candidates.join(', ')}`
  return new Problem('ambiguous', { detail, candidates })
}

/** Returns the refusal of an order for an app that was never deployed well. */
export const neverDeployed = (name: string): Problem =>
  new Problem('conflict', {
    detail: `${name} has no good deployment yet: svc apps deploy ${name} --sha COMMIT makes one`,
  })
