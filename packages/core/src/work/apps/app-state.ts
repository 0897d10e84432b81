import { present } from '../../kernel/present.ts'
import { ofLicense } from '../../kernel/scope.ts'
import type { Stores } from '../../platform/storage/storage.ts'
import type { Deployment } from '../deployments/deployments-store.ts'
import type { App } from './app.ts'
import { type AppPlace, placeIn } from './app-place.ts'

/** Deployments of an app that are looked through for a good one. */
export const RELEASES_SEEN = 100
/** Jobs of an app since its last good deployment that are looked through for its end. */
const JOBS_SEEN = 100

/** States of an app, as far as the ends of its jobs tell. */
export const APP_STATES = ['never_deployed', 'deployed', 'stopped', 'removed'] as const

/** The state of an app, as far as the ends of its jobs tell. */
export interface AppState {
  readonly state: (typeof APP_STATES)[number]
  /** Its newest good deployment. */
  readonly live: Deployment | undefined
  /** Its newest deployment. */
  readonly last: Deployment | undefined
}

/**
 * Returns the state of an app by the jobs that its host, the first of several, has ended well. `place`: its
 * place, where it is known.
 */
export async function stateIn(
  { deployments, gitHooks, jobs }: Pick<Stores, 'deployments' | 'gitHooks' | 'jobs'>,
  app: App,
  place?: AppPlace,
): Promise<AppState> {
  const { licenseId, name } = app
  const releases = await deployments.list({ licenseId, app: name, limit: RELEASES_SEEN })
  const live = releases.find(({ state }) => state === 'succeeded')
  const [last] = releases
  if (live === undefined) return { state: 'never_deployed', live, last }
  const [first] = (place ?? (await placeIn({ gitHooks }, app))).hosts
  const later = await jobs.list(ofLicense(licenseId), {
    ...{ app: name, state: 'succeeded', since: live.createdAt, limit: JOBS_SEEN },
    ...present('host', first),
  })
  // A job that was made later ran later: those of one app run one after the other.
  const end = later.find(({ id, kind }) => id > live.jobId && (kind === 'stop' || kind === 'remove'))
  return { state: end === undefined ? 'deployed' : end.kind === 'stop' ? 'stopped' : 'removed', live, last }
}
