import { Problem } from '../../kernel/problem.ts'
import {
  type CloneKind,
  DEFAULT_BRANCH,
  type GitHook,
  type GitHookSettings,
  type GitProvider,
  isRefName,
  localAddress,
  providerOfHost,
  type RepoAddress,
  repoAddress,
  type SubmoduleScope,
} from './git-hook.ts'
import { globFault } from './path-globs.ts'

/** Wishes for a hook; an absent one leaves the present value, or in a new hook the default. */
export interface GitHookWishes {
  readonly fingerprint?: string | undefined
  readonly repoUrl?: string | undefined
  readonly provider?: GitProvider | undefined
  readonly branch?: string | undefined
  /** Empty: no tags. */
  readonly tags?: string | undefined
  readonly paths?: readonly string[] | undefined
  readonly pathsIgnore?: readonly string[] | undefined
  readonly enabled?: boolean | undefined
  readonly cancelInProgress?: boolean | undefined
  readonly allowSkip?: boolean | undefined
  readonly submodules?: SubmoduleScope | undefined
  /** A secret of one's own, which the git host knows already. */
  readonly secret?: string | undefined
  readonly clone?: { readonly kind: CloneKind; readonly token?: string | undefined } | undefined
}

const APP = /^[a-z0-9][a-z0-9-]{0,62}$/
const SECRET = /^[!-~]{16,256}$/
const TOKEN = /^[!-~]{1,512}$/

/**
 * Returns the settings of a hook after `wishes`; the deploy key is left as it is. `isTrial`: whether the
 * repository may have an address of `http:`, or lie on the host.
 * @throws Problem `invalid-input` with field-scoped messages
 */
export function settingsAfter(
  wishes: GitHookWishes & { readonly app: string },
  before: GitHook | undefined,
  isTrial: boolean,
): GitHookSettings {
  const repoUrl = wishes.repoUrl ?? before?.repoUrl ?? ''
  const repo = repoAddress(repoUrl, isTrial) ?? (isTrial ? localAddress(repoUrl) : undefined)
  const cloneKind =
    wishes.clone?.kind ?? before?.cloneKind ?? (repo?.scheme === 'ssh' ? 'deploy_key' : 'none')
  const branch = wishes.branch ?? before?.branch ?? DEFAULT_BRANCH
  const tags = wishes.tags ?? before?.tags
  const paths = wishes.paths ?? before?.paths ?? []
  const pathsIgnore = wishes.pathsIgnore ?? before?.pathsIgnore ?? []
  const faults = [
    APP.test(wishes.app) ? undefined : 'app: expected a-z, 0-9 and dashes, at most 63 characters',
    repo === undefined ? repoFault(isTrial) : cloneFault(repo, cloneKind),
    isRefName(branch) ? undefined : 'branch: expected the name of a branch',
    ...(tags ? [fault('tags', tags)] : []),
    ...paths.map((glob, index) => fault(`paths.${index}`, glob)),
    ...pathsIgnore.map((glob, index) => fault(`paths_ignore.${index}`, glob)),
    ...secretFaults(wishes, cloneKind, before),
  ].filter((each) => each !== undefined)
  if (faults.length > 0) throw new Problem('invalid-input', { details: faults.slice(0, 12) })
  return {
    fingerprint: wishes.fingerprint ?? before?.fingerprint ?? '',
    provider: wishes.provider ?? before?.provider ?? providerOfHost(repo?.host ?? ''),
    repoUrl,
    branch,
    tags: tags || undefined,
    paths,
    pathsIgnore,
    enabled: wishes.enabled ?? before?.enabled ?? true,
    cancelInProgress: wishes.cancelInProgress ?? before?.cancelInProgress ?? false,
    allowSkip: wishes.allowSkip ?? before?.allowSkip ?? true,
    cloneKind,
    submodules: wishes.submodules ?? before?.submodules ?? 'none',
    deployKey: before?.deployKey,
  }
}

/** Whether two settings are the same. */
export const sameSettings = (one: GitHookSettings, other: GitHookSettings): boolean =>
  (Object.keys(other) as (keyof GitHookSettings)[]).every(
    (key) => JSON.stringify(one[key]) === JSON.stringify(other[key]),
  )

const fault = (field: string, glob: string): string | undefined => {
  const expected = globFault(glob)
  return expected === undefined ? undefined : `${field}: expected ${expected}`
}

const repoFault = (isTrial: boolean): string =>
  `repo_url: expected ${isTrial ? 'http://, file://, /path, ' : ''}https://, ssh:// or user@host:path, without a password, at most 512 characters`

function cloneFault({ scheme }: RepoAddress, kind: CloneKind): string | undefined {
  if (kind !== 'none' && scheme === 'file') return 'clone.kind: expected none for a repository on the host'
  if (kind === 'deploy_key' && scheme !== 'ssh')
    return 'clone.kind: expected none or token for an address of https'
  if (kind === 'token' && scheme === 'ssh')
    return 'clone.kind: expected none or deploy_key for an address of ssh'
  return undefined
}

function secretFaults(
  { secret, clone }: GitHookWishes,
  kind: CloneKind,
  before: GitHook | undefined,
): readonly (string | undefined)[] {
  const isTokenKept = clone?.token === undefined && before?.cloneKind === 'token'
  return [
    secret === undefined || SECRET.test(secret)
      ? undefined
      : 'secret: expected 16 to 256 visible characters of ASCII',
    kind !== 'token' || isTokenKept || TOKEN.test(clone?.token ?? '')
      ? undefined
      : 'clone.token: expected 1 to 512 visible characters of ASCII',
  ]
}
