import type { Place } from '../../kernel/cursor.ts'
import type { Scope } from '../../kernel/scope.ts'
import type { GitHook, GitHookSettings, GitProvider } from './git-hook.ts'
import type { Ignored } from './push/push-verdict.ts'

/** A hook to be stored. */
export interface NewGitHook extends GitHookSettings {
  readonly id: string
  readonly licenseId: string
  readonly app: string
}

/**
 * Secrets of a hook: the one that signs its deliveries, its predecessor, and the credentials for fetching its
 * repository.
 */
export const HOOK_SECRETS = ['secret', 'previous', 'token', 'deploy_key'] as const
export type HookSecretKind = (typeof HOOK_SECRETS)[number]

/** A secret of a hook, sealed. */
export interface HookSecret {
  readonly hookId: string
  readonly kind: HookSecretKind
  readonly text: string
  /** When it ends; undefined: never. */
  readonly until: Date | undefined
}

/** The name of the row of a secret. The sealed text is bound to it. */
export const hookSecretId = (hookId: string, kind: HookSecretKind): string => `${hookId}/${kind}`

/** A ref of a delivery, and its outcome. A message without refs is one with the ref `''`. */
export interface GitDelivery {
  readonly id: string
  readonly hookId: string
  /** The host's own name for it, else the digest of its body. */
  readonly deliveryId: string
  /** SHA-256 of the body, hex. */
  readonly bodyDigest: string
  readonly provider: GitProvider
  readonly event: string
  readonly ref: string
  readonly before: string | undefined
  readonly sha: string | undefined
  /** Why it deployed nothing; undefined: it was accepted. */
  readonly ignored: Ignored | undefined
  /** The job that it made, or for a duplicate the one that there was already. */
  readonly jobId: string | undefined
  /** The address that sent it. */
  readonly address: string
  readonly receivedAt: Date
  /** The same in microseconds of Unix time: with its id, its place in lists. */
  readonly micros: string
}

/** A delivery to be stored. */
export type NewGitDelivery = Omit<GitDelivery, 'receivedAt' | 'micros'>

/** A ref of a delivery. Its earlier copies are found by it. */
export type DeliveryKey = Pick<GitDelivery, 'hookId' | 'deliveryId' | 'bodyDigest' | 'ref'>

declare module '../../platform/storage/storage.ts' {
  interface Stores {
    readonly gitHooks: GitHooksStore
  }
}

/** Git hooks, their secrets, and the deliveries to them. */
export interface GitHooksStore {
  /** Stores a hook unless the license has one for the app, or `max` hooks; then undefined. */
  add(hook: NewGitHook, max: number, now?: Date): Promise<GitHook | undefined>
  /** Replaces the settings of a hook; undefined if there is none. */
  change(id: string, settings: GitHookSettings, now?: Date): Promise<GitHook | undefined>
  /** Removes a hook with its secrets and deliveries. */
  remove(id: string): Promise<boolean>
  get(scope: Scope, id: string): Promise<GitHook | undefined>
  /** As `get` of the platform. Inside a transaction no other one gets the hook before the end of this one. */
  lock(id: string): Promise<GitHook | undefined>
  /** The hooks of a scope: by app, then by id, at most `limit`. */
  list(scope: Scope, limit: number): Promise<readonly GitHook[]>
  /** The hooks of a scope with one of these ids or for one of these apps, by id. */
  find(scope: Scope, ...idsOrApps: readonly string[]): Promise<readonly GitHook[]>
  /** The secrets of a hook that have not ended, by kind. */
  secrets(hookId: string, now?: Date): Promise<readonly HookSecret[]>
  /** Stores a secret in place of the former one of its kind. @throws for a hook that is gone */
  setSecret(secret: HookSecret): Promise<void>
  removeSecret(hookId: string, kind: HookSecretKind): Promise<void>
  /**
   * The newest delivery with a job for this ref that has the same name, or is of the last day and has the
   * same body.
   */
  earlier(key: DeliveryKey, now?: Date): Promise<GitDelivery | undefined>
  /** The newest delivery of a ref that is neither a duplicate nor stale. */
  latestOf(hookId: string, ref: string): Promise<GitDelivery | undefined>
  /** Whether an accepted delivery of a ref replaced this commit. */
  isReplaced(hookId: string, ref: string, sha: string): Promise<boolean>
  /**
   * Stores a delivery in place of the one with the same name and ref; one that has a job gives way only to
   * one that was accepted.
   */
  record(delivery: NewGitDelivery, now?: Date): Promise<void>
  /** The newest deliveries to a hook, of those behind the place `after` if it is given. */
  deliveries(hookId: string, limit: number, after?: Place): Promise<readonly GitDelivery[]>
  /** The newest delivery to each of these hooks that has one, by hook. */
  lastDeliveries(hookIds: readonly string[]): Promise<readonly GitDelivery[]>
  /** Removes deliveries that are older; returns their number. */
  purge(keptDays: number, now?: Date): Promise<number>
}

/** For how long a body that arrives under another name is the same delivery, in hours. */
export const SAME_BODY_HOURS = 24
