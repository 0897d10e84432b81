import { present } from '../../kernel/present.ts'
import { Problem } from '../../kernel/problem.ts'
import { ofLicense, type Scope } from '../../kernel/scope.ts'
import type { Base } from '../../platform/base.ts'
import type { Stores } from '../../platform/storage/storage.ts'
import type { Deployment } from '../deployments/deployments-store.ts'
import type { Job } from '../jobs/job.ts'
import type { Payload } from '../jobs/job-payload.ts'
import type { EnqueueInput } from '../jobs/new-job.ts'
import {
  type App,
  type AppSettings,
  checkRoom,
  checkVariables,
  demandNoMove,
  MAX_APPS,
  type Variable,
} from './app.ts'
import { dropWith } from './app-databases.ts'
import { APPS_LISTED, type ListedApp, listedIn } from './app-listing.ts'
import {
  type AppPlace,
  hostedAt,
  lacks,
  type MadeJob,
  neverDeployed,
  noApp,
  placeIn,
  requireHosts,
  severalApps,
  variablePlace,
} from './app-place.ts'
import { checkSettings } from './app-settings.ts'
import {
  commitAgain,
  gitSource,
  imageBefore,
  imageOf,
  imageSource,
  isNamed,
  shaOf,
  sourceAgain,
  uploadSource,
} from './app-source.ts'
import { type AppState, RELEASES_SEEN, stateIn } from './app-state.ts'
import type { DeployWish, JobWish, NewAppSettings, RollbackWish, RunWish } from './app-wishes.ts'
import {
  type AppDrift,
  lastOfEach,
  MAX_OBSERVED,
  type ObservedApp,
  type ObservedEntry,
} from './observed-app.ts'
import { registryOf } from './registry-login.ts'

/** Dependencies of `Apps`. */
export interface AppsParts extends Pick<Base, 'storage' | 'clock' | 'keyring'> {
  /** Whether the service runs for others: then no repository lies on this machine or has a plain address. */
  readonly production: boolean
  readonly jobs: {
    enqueue(input: EnqueueInput, also?: (stores: Stores, job: Job) => Promise<void>): Promise<MadeJob>
  }
}

/** Applications: their settings, variables and deploys (docs/apps.md). */
export class Apps {
  readonly #parts: AppsParts

  constructor(parts: AppsParts) {
    this.#parts = parts
  }

  /**
   * Makes an app of a license. One that a hook or a deploy has named is there already.
   * @throws Problem `conflict` when it is there, or the license has 500; `agent-not-owned`
   */
  async create(licenseId: string, name: string, { moreHosts = [], ...given }: NewAppSettings): Promise<App> {
    const { storage, clock, production } = this.#parts
    const settings = { ...given, moreHosts }
    return storage.transaction(async (stores) => {
      await checkSettings(stores, { licenseId, name }, settings, production)
      const app = await stores.apps.add({ licenseId, name, ...settings }, MAX_APPS, clock.statementTime())
      if (app !== undefined) return app
      const isThere = (await stores.apps.find(ofLicense(licenseId), name)).length > 0
      throw new Problem('conflict', {
        detail: isThere
          ? `the app ${name} is there already: svc apps set changes it`
          : `a license has at most ${MAX_APPS} apps: svc apps remove makes room`,
      })
    })
  }

  /**
   * Changes settings of an app; those that are not named stay.
   * @throws Problem `not-found`, `agent-not-owned`, `invalid-input`
   */
  async set({ id }: Pick<App, 'id'>, wishes: Partial<AppSettings>): Promise<App> {
    const { storage, clock, production } = this.#parts
    return storage.transaction(async (stores) => {
      const before = await stores.apps.lock(id)
      if (before === undefined) throw noApp(id)
      demandNoMove(before)
      await checkSettings(stores, before, wishes, production)
      const { fingerprint, moreHosts, repoUrl } = { ...before, ...wishes }
      const after = await stores.apps.change(id, { fingerprint, moreHosts, repoUrl }, clock.statementTime())
      if (after === undefined) throw noApp(id)
      return after
    })
  }

  /**
   * Forgets an app with its variables and domains; what runs on its host stays. With `data` a job ends it
   * there, and removes its volumes, and its databases that no other app has.
   * @returns that job, and the names of those
   * @throws Problem `conflict` while a git hook deploys it, and without a host whose data could be removed
   */
  async remove(
    app: App,
    { data = false, madeBy = '' }: { readonly data?: boolean | undefined; readonly madeBy?: string } = {},
  ) {
    const { storage, jobs, clock } = this.#parts
    demandNoMove(app)
    const forget = async (stores: Stores) => {
      const { hook } = await placeIn(stores, app)
      if (hook !== undefined) {
        throw new Problem('conflict', {
          detail: `a git hook deploys ${app.name}: svc git hooks remove ${app.name} comes first`,
        })
      }
      if (!(await stores.apps.remove(app.id))) throw noApp(app.name)
    }
    if (!data) {
      await storage.transaction(forget)
      return undefined
    }
    const { licenseId, name } = app
    const place = await this.place(app)
    const wish = { licenseId, kind: 'remove' as const, payload: { app: name, data }, ...requireHosts(place) }
    let databases: readonly string[] = []
    const made = await jobs.enqueue(wish, async (stores, { id: jobId }) => {
      await forget(stores)
      const { hosts } = place
      databases = await dropWith(stores, app, { hosts, jobId, madeBy }, clock.statementTime())
    })
    return { ...made, databases }
  }

  /** The apps of a scope, by name. */
  list(scope: Scope): Promise<readonly App[]> {
    return this.#parts.storage.apps.list(scope, APPS_LISTED)
  }

  /** The apps of a scope, by name, with all that lists tell of them. */
  async listed(scope: Scope): Promise<readonly ListedApp[]> {
    return listedIn(this.#parts.storage, scope, await this.list(scope))
  }

  /** @throws Problem `not-found`, or `ambiguous` when several licenses have an app of this name */
  async resolve(scope: Scope, idOrName: string): Promise<App> {
    const found = await this.#parts.storage.apps.find(scope, idOrName)
    const [app, ...others] = found
    if (app === undefined) throw noApp(idOrName)
    if (others.length > 0) throw severalApps(idOrName, found)
    return app
  }

  /** The source and the host of an app. */
  place(app: App): Promise<AppPlace> {
    return placeIn(this.#parts.storage, app)
  }

  /** Takes the states that a host tells of its apps. */
  async observe(host: Pick<ObservedApp, 'licenseId' | 'fingerprint'>, entries: readonly ObservedEntry[]) {
    if (entries.length === 0) return
    const { storage, clock } = this.#parts
    await storage.observedApps.note(host, lastOfEach(entries), MAX_OBSERVED, clock.statementTime())
  }

  /** The states of a scope's apps of these names, as their hosts tell of them. */
  observed(scope: Scope, apps: readonly string[]): Promise<readonly ObservedApp[]> {
    return this.#parts.storage.observedApps.list(scope, apps)
  }

  /** An app on those hosts where it runs another commit than was deployed last. */
  drifts({ licenseId, name: app }: App): Promise<readonly AppDrift[]> {
    return this.#parts.storage.observedApps.drifts(MAX_OBSERVED, { licenseId, app })
  }

  /** The variables of an app; those that are secrets stay sealed. */
  async variables({ id }: Pick<App, 'id'>): Promise<readonly Variable[]> {
    return (await this.#parts.storage.apps.variables(id)).filter(({ name }) => registryOf(name) === undefined)
  }

  /** The variables that hold an app's logins at registries. */
  async logins({ id }: Pick<App, 'id'>): Promise<readonly Variable[]> {
    return (await this.#parts.storage.apps.variables(id)).filter(({ name }) => registryOf(name) !== undefined)
  }

  /** Stores the login at a registry. @throws Problem `secrets-not-configured`, `not-found` */
  setLogin(app: Pick<App, 'id'>, name: string, value: string): Promise<number> {
    return this.#setVariables(app, { [name]: value }, true)
  }

  /**
   * Stores variables, in place of those of the same names. They reach processes with the next deploy.
   * @throws Problem `invalid-input`, `secrets-not-configured`, `not-found`
   */
  async setVariables(app: Pick<App, 'id'>, values: Readonly<Record<string, string>>, isSecret: boolean) {
    checkVariables(values)
    return this.#setVariables(app, values, isSecret)
  }

  async #setVariables({ id }: Pick<App, 'id'>, values: Readonly<Record<string, string>>, isSecret: boolean) {
    const { storage, clock, keyring } = this.#parts
    if (isSecret && !keyring.isConfigured) throw new Problem('secrets-not-configured')
    return storage.transaction(async ({ apps }) => {
      if ((await apps.lock(id)) === undefined) throw noApp(id)
      checkRoom(await apps.variables(id), values)
      const variables = Object.entries(values).map(([name, value]) => ({
        name,
        value: isSecret ? undefined : value,
        secret: isSecret ? keyring.seal(value, variablePlace(id, name)) : undefined,
      }))
      await apps.setVariables(id, variables, clock.statementTime())
      return (await apps.lock(id))?.envRevision ?? 0
    })
  }

  /** Removes variables; returns the names that were there. */
  unsetVariables({ id }: Pick<App, 'id'>, names: readonly string[]): Promise<readonly string[]> {
    return this.#parts.storage.apps.unsetVariables(id, names, this.#parts.clock.statementTime())
  }

  /** The deployments of an app, newest first. */
  releases({ licenseId, name }: App, limit: number): Promise<readonly Deployment[]> {
    return this.#parts.storage.deployments.list({ licenseId, app: name, limit })
  }

  /**
   * Deploys a commit of an app's repository on its host; without one, the source that was deployed last.
   * @throws Problem `conflict` when there is no source, no host or nothing to deploy again
   */
  async deploy(app: App, { sha, ref, uploaded, ...wish }: DeployWish): Promise<MadeJob> {
    const place = await this.place(app)
    if (uploaded && sha !== undefined) return this.#deploy(place, uploadSource(sha), wish)
    const image = imageOf(place.repoUrl)
    if (image !== undefined) return this.#deploy(place, imageSource(image, sha, ref), wish)
    if (sha !== undefined) return this.#deploy(place, gitSource(place, sha, ref), wish)
    const [last] = await this.releases(app, 1)
    const again = commitAgain(place, last)
    if (again !== undefined) return this.#deploy(place, again, wish)
    throw new Problem('conflict', {
      detail: `${app.name} was never deployed from git: svc apps deploy ${app.name} --sha COMMIT, or --upload`,
    })
  }

  /**
   * Deploys the newest good deployment of another commit than the live one, or `to`, a commit or the end of a
   * deployment's id; of an image also its tag or its digest. The job fails when the host has that image no
   * more, or with `withEnv` the variables of then.
   * @throws Problem `conflict` when there is none
   */
  async rollback(app: App, to: string | undefined, wish: RollbackWish): Promise<MadeJob> {
    const good = (await this.releases(app, RELEASES_SEEN)).filter(({ state }) => state === 'succeeded')
    const live = shaOf(good[0])
    const place = await this.place(app)
    if (imageOf(place.repoUrl) !== undefined) {
      const meant = to === undefined ? good.slice(1) : good.filter((each) => isNamed(each, to)).slice(0, 1)
      const before = imageBefore(meant)
      if (before !== undefined) return this.#deploy(place, before, wish)
    }
    const target = good.find((release) => {
      const sha = shaOf(release)
      if (to === undefined) return sha !== undefined && sha !== live
      return sha !== undefined && to.length >= 4 && (release.id.endsWith(to) || sha.startsWith(to))
    })
    const again = commitAgain(place, target)
    if (again !== undefined) return this.#deploy(place, again, wish)
    throw new Problem('conflict', {
      detail:
        to === undefined
          ? `${app.name} has no earlier good deployment to go back to: svc apps releases ${app.name}`
          : `${app.name} has no good deployment ${to}: svc apps releases ${app.name} lists them`,
    })
  }

  /**
   * Starts the live release of an app, which the host leaves alone if it runs; with `restart` its processes
   * are replaced all the same.
   * @throws Problem `conflict` when nothing was deployed, or it has no host
   */
  async start(app: App, { fingerprint, ...wish }: RunWish): Promise<MadeJob> {
    const { live } = await this.state(app)
    if (live === undefined) throw neverDeployed(app.name)
    const place = await this.place(app)
    const at = hostedAt(place, fingerprint)
    return this.#deploy(at, sourceAgain(place, live), { kind: 'redeploy', ...wish })
  }

  /**
   * Changes the counts of processes of an app that runs, or whether visitors are turned away.
   * @throws Problem `conflict` when it is stopped, was never deployed, or has no host
   */
  async adjust(app: App, wish: Omit<RunWish, 'restart'>): Promise<MadeJob> {
    const { state } = await this.state(app)
    if (state === 'deployed' || state === 'never_deployed') return this.start(app, wish)
    throw new Problem('conflict', {
      detail: `${app.name} is ${state}: svc apps start ${app.name} comes first`,
    })
  }

  /**
   * Ends the processes of an app on its host; its files stay.
   * @throws Problem `conflict` when nothing was deployed, or it has no host
   */
  async stop(app: App, { fingerprint }: Pick<RunWish, 'fingerprint'>): Promise<MadeJob> {
    demandNoMove(app)
    if ((await this.releases(app, 1)).length === 0) throw neverDeployed(app.name)
    const hosts = requireHosts(hostedAt(await this.place(app), fingerprint))
    const { licenseId, name } = app
    return this.#parts.jobs.enqueue({ licenseId, kind: 'stop', payload: { app: name }, ...hosts })
  }

  /** The state of an app by the jobs that its host has ended well. */
  state(app: App, place?: AppPlace): Promise<AppState> {
    return stateIn(this.#parts.storage, app, place)
  }

  #deploy(
    place: AppPlace,
    source: Payload,
    { kind = 'deploy', restart = false, withEnv = false, scale, maintenance, madeBy }: JobWish,
  ): Promise<MadeJob> {
    const { licenseId, name } = place.app
    demandNoMove(place.app)
    if (source.repo_url === undefined && source.type === 'git') throw lacks(name, 'repository: --repo URL')
    const hosts = requireHosts(place)
    const { length: of } = place.hosts
    const more = {
      ...(of > 1 ? { roll: { host: 1, of } } : {}),
      ...present('scale', scale),
      ...present('maintenance', maintenance),
      ...(withEnv ? { with_env: true } : {}),
    }
    const payload = { app: name, source, ...(restart ? { restart } : {}), ...more }
    return this.#parts.jobs.enqueue({ licenseId, kind, payload, ...hosts, madeBy })
  }
}
