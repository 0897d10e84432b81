import type { GitProvider } from '../git-hook.ts'

/** A change of one ref by a push. */
export interface PushedRef {
  /** `refs/heads/main` */
  readonly ref: string
  readonly kind: 'branch' | 'tag' | 'other'
  /** `main` */
  readonly name: string
  /** The commit before, if the host says so and there was one. */
  readonly before: string | undefined
  /** As the host sent it, which may be no commit id. */
  readonly sha: string
  readonly isDeleted: boolean
  readonly commits: readonly PushedCommit[]
  /** Whether these commits and their paths are all that the push changed. */
  readonly isWhole: boolean
}

/** A commit of a push. */
export interface PushedCommit {
  readonly message: string
  readonly paths: readonly string[]
}

/** A message of a git host, in one form for all hosts. */
export interface Push {
  readonly provider: GitProvider
  /** The host's own name for this delivery; undefined if it has none. */
  readonly deliveryId: string | undefined
  /** The host's name of the event; empty if there is none. */
  readonly event: string
  readonly what: 'push' | 'ping' | 'other'
  /** The message's names for its repository, as `repoPath` writes them. */
  readonly repositories: readonly string[]
  readonly pusher: string
  readonly refs: readonly PushedRef[]
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const ZERO = /^0+$/

/** Whether a text is a full commit id. */
export const isCommitId = (text: string): boolean => COMMIT.test(text) && !ZERO.test(text)

/** Whether a host's commit id says that there is none. */
export const isNoCommit = (text: string): boolean => ZERO.test(text)

/** Takes a full name of a ref apart. */
export function refParts(ref: string): Pick<PushedRef, 'ref' | 'kind' | 'name'> {
  for (const [prefix, kind] of [
    ['refs/heads/', 'branch'],
    ['refs/tags/', 'tag'],
  ] as const) {
    if (ref.startsWith(prefix)) return { ref, kind, name: ref.slice(prefix.length) }
  }
  return { ref, kind: 'other', name: ref }
}
