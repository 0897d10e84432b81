import { optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { present } from '../../kernel/present.ts'
import { flag, listOf, namedShape, oneOf, shape, text, type ViewOf, whole } from '../../kernel/validation.ts'
import type { Deployment } from '../deployments/deployments-store.ts'
import { JOB_STATES } from '../jobs/job.ts'
import type { Variable } from './app.ts'
import { type AppMove, isUnderWay } from './app-move.ts'
import type { AppPlace } from './app-place.ts'
import { APP_STATES, type AppState } from './app-state.ts'
import { OBSERVED, OBSERVED_STATES, type ObservedApp } from './observed-app.ts'

const ANY = Number.POSITIVE_INFINITY
const count = whole(0, Number.MAX_SAFE_INTEGER)
const word = text(0, 4096)

const RELEASE = {
  id: word,
  job_id: word,
  sha: optional(word),
  /** Whether the commit was sent to the host, and is in no repository that the service knows of. */
  uploaded: optional(flag()),
  state: oneOf(JOB_STATES),
  host: optional(word),
  /** The one who deployed, as the audit log names operators, or `git push by` and a name. */
  by: optional(word),
  created_at: count,
}
/** A deployment of an app in an answer. */
export const RELEASE_VIEW = namedShape('Release', RELEASE)
/** The state of an app on a host, as that last told of it. */
const ON_HOST = {
  host: word,
  state: oneOf(OBSERVED_STATES),
  ...OBSERVED,
  /** The commit that was deployed there last, of an app that runs another one while no job is left. */
  expected_sha: optional(word),
  since: count,
  observed_at: count,
}
const APP = {
  id: word,
  license_id: word,
  name: word,
  host: optional(word),
  /** All hosts, of an app that has several. */
  hosts: optional(listOf(word, ANY)),
  repo_url: optional(word),
  git_hook: optional(word),
  variables: count,
  env_revision: count,
  last_deployment: optional(RELEASE_VIEW),
  /** The state by the ends of its jobs, absent from lists: whether its processes run, the host knows. */
  state: optional(oneOf(APP_STATES)),
  live_deployment: optional(RELEASE_VIEW),
  /** As its hosts tell of it; none of a host that keeps no apps running, or whose agent is older. */
  observed: optional(listOf(namedShape('AppOnHost', ON_HOST), ANY)),
  /** Its move to another host, until that is finished or undone. */
  move: optional(shape({ from: word, to: word, under_way: flag() })),
  created_at: count,
  updated_at: count,
}
/** An app in an answer. */
export const APP_VIEW = namedShape('App', APP)
/** A variable in an answer. */
export const VARIABLE = { name: word, secret: flag(), value: optional(word), updated_at: count }

/** An app as operators see it. */
export type AppView = ViewOf<typeof APP>
/** A deployment of an app as operators see it. */
export type ReleaseView = ViewOf<typeof RELEASE>
/** A variable as operators see it: the value of a secret is never shown. */
export type VariableView = ViewOf<typeof VARIABLE>

/** A deployment of an app as operators see it. */
export const releaseView = ({
  id,
  jobId,
  source: { sha, type },
  state,
  ...rest
}: Deployment): ReleaseView => ({
  ...{ id, job_id: jobId, state, created_at: unixSeconds(rest.createdAt) },
  ...present('by', rest.madeBy),
  ...present('host', rest.target || undefined),
  ...(typeof sha === 'string' ? { sha } : {}),
  ...(type === 'upload' ? { uploaded: true } : {}),
})

/** A variable as operators see it. */
export const variableView = ({ name, value, updatedAt }: Variable): VariableView => ({
  ...{ name, secret: value === undefined, updated_at: unixSeconds(updatedAt) },
  ...present('value', value),
})

const moveView = (move: AppMove) => ({ from: move.from, to: move.to, under_way: isUnderWay(move) })

/** An app as operators see it, without its state. */
export const appView = (
  { app, hook, repoUrl, hosts }: AppPlace,
  variables: number,
  last: Deployment | undefined,
): AppView => ({
  ...{ id: app.id, license_id: app.licenseId, name: app.name, variables, env_revision: app.envRevision },
  ...present('host', hosts[0]),
  ...(hosts.length > 1 ? { hosts: [...hosts] } : {}),
  ...present('repo_url', repoUrl),
  ...present('git_hook', hook?.id),
  ...present('last_deployment', last && releaseView(last)),
  ...present('move', app.move && moveView(app.move)),
  created_at: unixSeconds(app.createdAt),
  updated_at: unixSeconds(app.updatedAt),
})

/** The state of an app on a host as operators see it. */
export const observedView = ({ fingerprint, state, detail, ...times }: ObservedApp) => ({
  ...{ host: fingerprint, state, ...detail },
  ...{ since: unixSeconds(times.since), observed_at: unixSeconds(times.observedAt) },
})

/** The state of an app as operators see it. */
export const stateView = ({ state, live }: AppState) => ({
  state,
  ...present('live_deployment', live && releaseView(live)),
})
