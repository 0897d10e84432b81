import type { Scope } from '../../kernel/scope.ts'
import type { AppDrift, ObservedApp, ObservedEntry } from './observed-app.ts'

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly observedApps: ObservedAppsStore
  }
}

/** Storage of the states of apps as their hosts tell of them. They go with their host. */
export interface ObservedAppsStore {
  /**
   * Takes the entries of a host, at most one for each app, in the place of those of before; the ones that are
   * gone are removed. New ones beyond `max` of a host are left out, and so are those of a host that is not
   * known.
   */
  note(
    host: Pick<ObservedApp, 'licenseId' | 'fingerprint'>,
    entries: readonly ObservedEntry[],
    max: number,
    now?: Date,
  ): Promise<void>
  /** The apps of a scope that have one of these names, by name and host. */
  list(scope: Scope, apps: readonly string[]): Promise<readonly ObservedApp[]>
  /** Apps that somebody has to look at, by license, host and name, at most `limit` of a license. */
  troubles(limit: number): Promise<readonly ObservedApp[]>
  /**
   * Apps that run another commit than the deployment that ended well last on that host, in the order and the
   * bounds of `troubles`. Left out are apps that are stopped, that have a job which has not ended, and those
   * whose last deployment has no commit, such as an image's. `only`: one app of one license.
   */
  drifts(limit: number, only?: Pick<ObservedApp, 'licenseId' | 'app'>): Promise<readonly AppDrift[]>
}
