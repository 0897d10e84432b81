import { type GitHook, isRefName, isSameRepository, localAddress, repoAddress } from '../git-hook.ts'
import { globMatcher, someCounts } from '../path-globs.ts'
import type { Push, PushedRef } from './push.ts'

/** Why a delivery deploys nothing. */
export const IGNORED = [
  'ping',
  'event',
  'branch',
  'tag',
  'deleted',
  'disabled',
  'repository',
  'paths',
  'skip_ci',
  'duplicate',
  'stale',
] as const
export type Ignored = (typeof IGNORED)[number]

const SKIPS = /\[skip (?:ci|cd|deploy)\]/i

/** Whether a push is one to the repository of a hook. A message that names none is taken at its word. */
export function isToHook({ repositories }: Push, { repoUrl }: Pick<GitHook, 'repoUrl'>): boolean {
  const { path } = repoAddress(repoUrl, true) ?? localAddress(repoUrl) ?? { path: '' }
  return repositories.length === 0 || isSameRepository(path, repositories)
}

/** Returns why no ref of a message can deploy by this hook; undefined if it can. */
export function ignoredWhole(push: Push, hook: GitHook): Ignored | undefined {
  if (push.what === 'ping') return 'ping'
  if (push.what === 'other') return 'event'
  if (!hook.enabled) return 'disabled'
  return isToHook(push, hook) ? undefined : 'repository'
}

/** Returns why a ref of a push does not deploy by this hook, as far as the two alone say. */
export async function ignoredRef(ref: PushedRef, hook: GitHook): Promise<Ignored | undefined> {
  if (ref.isDeleted) return 'deleted'
  if (!isWanted(ref, hook)) return ref.kind === 'tag' ? 'tag' : 'branch'
  if (hook.allowSkip && ref.commits.length > 0 && ref.commits.every(({ message }) => SKIPS.test(message)))
    return 'skip_ci'
  const { paths, pathsIgnore } = hook
  if (!ref.isWhole || paths.length + pathsIgnore.length === 0) return undefined
  const changed = ref.commits.flatMap((commit) => commit.paths)
  return (await someCounts(changed, paths, pathsIgnore)) === false ? 'paths' : undefined
}

/** Whether a branch or tag is one that a hook deploys. */
export function isWanted({ kind, name }: Pick<PushedRef, 'kind' | 'name'>, hook: GitHook): boolean {
  if (!isRefName(name)) return false
  if (kind === 'branch') return name === hook.branch
  return kind === 'tag' && hook.tags !== undefined && globMatcher(hook.tags)(name)
}
