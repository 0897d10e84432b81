import type { Scope } from '../../kernel/scope.ts'

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly live: LiveStore
  }
}

/** Lists whose changes pages are told of: the first words of the operations that list them. */
export const LIVE_LISTS = [
  'fleet',
  'apps',
  'jobs',
  'images',
  'alerts',
  'monitors',
  'surface',
  'git-hooks',
  'webhooks',
  'email-domains',
  'email-keys',
  'email-queue',
  'email-suppressions',
  'licenses',
  'tenants',
  'users',
  'tokens',
  'transfer',
  'security',
  'ssh',
  'billing-events',
  'provision-orders',
  'provision-catalog',
  'provision-credentials',
  'chat',
  'browser',
  'browser-tokens',
  'audit',
] as const
export type LiveList = (typeof LIVE_LISTS)[number]

/**
 * Things whose changes pages are told of, by their keys. `host`: the id of a license and a display id, with a
 * space between. `job`: an id. `license-jobs`: the jobs of a license, by its id. `session`: the digest of a
 * person's session; its version is `standingOf` its user.
 */
export const LIVE_THINGS = ['host', 'job', 'license-jobs', 'session'] as const
export type LiveThing = (typeof LIVE_THINGS)[number]

/** Something that an open page shows. */
export type LiveSubject = {
  /** The part of the plane that exists for the person who looks at the page. */
  readonly scope: Scope
} & (
  | { readonly topic: LiveList; readonly key?: undefined }
  | { readonly topic: LiveThing; readonly key: string }
)

/** Rows of a list that are looked at for changes: the newest ones. */
export const LIVE_ROWS = 200
/** Seconds after which a list shows what time alone changes, such as how long a job runs. */
export const LIVE_TICK_SECONDS = 10

/** The version of a live session: the person, the role and the tenant. */
export const standingOf = ({
  id,
  role,
  tenantId,
}: {
  readonly id: string
  readonly role: string
  readonly tenantId?: string | undefined
}): string => [id, role, tenantId ?? ''].join(' ')

/** Looks at what open pages show. */
export interface LiveStore {
  /**
   * Returns the version of each subject in one statement, in the order of the subjects: another text after
   * each change. Undefined for a thing that does not exist in the scope. `silentSeconds`: silence after which
   * a host counts as silent. A scope of a license has no lists and no things.
   */
  versions(
    subjects: readonly LiveSubject[],
    silentSeconds: number,
    now?: Date,
  ): Promise<readonly (string | undefined)[]>
  /** Returns the number of lines of each job's log, in the order of the jobs. */
  logEnds(jobs: readonly string[]): Promise<readonly number[]>
}
