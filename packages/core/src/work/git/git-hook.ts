/** The kinds of git hosts whose pushes are understood; `gitea` stands for Forgejo and Gogs too. */
export const GIT_PROVIDERS = ['github', 'gitlab', 'gitea', 'bitbucket', 'generic'] as const
export type GitProvider = (typeof GIT_PROVIDERS)[number]

/** A host's ways into a repository: as anybody, with a key made here, or with a token. */
export const CLONE_KINDS = ['none', 'deploy_key', 'token'] as const
export type CloneKind = (typeof CLONE_KINDS)[number]

/**
 * The submodules that are fetched with the credentials of a hook: none, the submodules of the repository's
 * owner, or all on its server. Keys and tokens often open more than the one repository.
 */
export const SUBMODULE_SCOPES = ['none', 'owner', 'server'] as const
export type SubmoduleScope = (typeof SUBMODULE_SCOPES)[number]

/** Most hooks of a license. */
export const MAX_HOOKS = 100
/** The branch of a hook that names none. */
export const DEFAULT_BRANCH = 'main'

/** The part of a hook that can be changed: the build, its hosts, and the pushes that deploy. */
export interface GitHookSettings {
  /** Fingerprint of the host that builds. */
  readonly fingerprint: string
  readonly provider: GitProvider
  readonly repoUrl: string
  readonly branch: string
  /** A glob: tags that match it deploy, too. */
  readonly tags: string | undefined
  /** Globs: a push that changes none of these paths does not deploy. Empty: every path counts. */
  readonly paths: readonly string[]
  /** Globs: changes of these paths do not count. */
  readonly pathsIgnore: readonly string[]
  readonly enabled: boolean
  /** Whether a newer push asks a running deployment to stop. */
  readonly cancelInProgress: boolean
  /** Whether `[skip ci]` in every message of a push keeps it from deploying. */
  readonly allowSkip: boolean
  readonly cloneKind: CloneKind
  readonly submodules: SubmoduleScope
  /** The public half of the deploy key, as authorized_keys spells it. */
  readonly deployKey: string | undefined
}

/** Deploys an application when its repository is pushed to. A license has one for each application. */
export interface GitHook extends GitHookSettings {
  readonly id: string
  readonly licenseId: string
  readonly app: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/**
 * `git-check-ref-format` without names that no git host shows: at most 244 characters, no blanks, no
 * wildcards.
 */
export function isRefName(name: string): boolean {
  if (!/^[^\s\p{C}~^:?*[\\]{1,244}$/u.test(name)) return false
  if (/^[-/@+]|\/$|\.$|\.\.|@\{|\/\//.test(name)) return false
  return name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'))
}

const MAX_URL_CHARS = 512
const SSH_USER_HOST =
  /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}@([A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?):(.+)$/
const PATH = /^[A-Za-z0-9._~%+@=,-]+(?:\/[A-Za-z0-9._~%+@=,-]+)*$/

/** An address of a repository, taken apart. */
export interface RepoAddress {
  readonly scheme: 'https' | 'http' | 'ssh' | 'file'
  readonly host: string
  /** In lower case, without a leading slash and without `.git`: the name of a repository in a push. */
  readonly path: string
}

/**
 * Reads `https://host/path`, `ssh://user@host/path` or `user@host:path`, the addresses that a hook may have.
 * Undefined for every other: another scheme, a password, a name in an https address, a query, or a path that
 * an option or a shell could hide in. `plainHttp`: whether `http:` is one of them.
 */
export function repoAddress(text: string, plainHttp: boolean): RepoAddress | undefined {
  if (text.length > MAX_URL_CHARS) return undefined
  const [, host, path] = SSH_USER_HOST.exec(text) ?? []
  if (host !== undefined && path !== undefined && !text.includes('://')) return address('ssh', host, path)
  const [, scheme, authority = '', rest = ''] = /^(https?|ssh):\/\/([^/?#\\]+)\/([^?#\\]+)$/.exec(text) ?? []
  if (scheme === undefined || !URL.canParse(text) || (scheme === 'http' && !plainHttp)) return undefined
  const { username, password, hostname } = new URL(text)
  const isNamed = username !== '' || password !== '' || authority.includes('@')
  if (scheme === 'ssh' ? !/^(?:\w[\w.-]*@)?[^@]+$/.test(authority) || password !== '' : isNamed)
    return undefined
  return hostname === '' || hostname.startsWith('-') ? undefined : address(scheme, hostname, rest)
}

function address(scheme: string, host: string, path: string): RepoAddress | undefined {
  const plain = path.replace(/^\/+|\/+$/g, '')
  if (!PATH.test(plain) || plain.split('/').some((part) => part.startsWith('-') || part === '..'))
    return undefined
  return { scheme: scheme as RepoAddress['scheme'], host: host.toLowerCase(), path: repoPath(plain) }
}

const LOCAL = /^(?:file:\/\/)?(\/[^\p{Cc}]{1,500})$/u

/**
 * Reads the address of a repository that lies on the host itself: a path from the root, perhaps behind
 * `file://`. Only a trial has such apps and hooks.
 */
export function localAddress(text: string): RepoAddress | undefined {
  const path = LOCAL.exec(text)?.[1]
  return path === undefined ? undefined : { scheme: 'file', host: '', path: repoPath(path) }
}

/** A path of a repository as it is compared. */
export const repoPath = (path: string): string =>
  path
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/i, '')
    .toLowerCase()

/**
 * Whether a push that names its repository in one of these ways is one to the repository of a hook. Hosts
 * are not compared: one server has several names, for https, for ssh and for its own pages.
 */
export function isSameRepository(hookPath: string, named: readonly string[]): boolean {
  return named.some(
    (path) =>
      path !== '' && (hookPath === path || hookPath.endsWith(`/${path}`) || path.endsWith(`/${hookPath}`)),
  )
}

const PROVIDER_OF_HOST: readonly (readonly [RegExp, GitProvider])[] = [
  [/(?:^|\.)github\.|^github/, 'github'],
  [/gitlab/, 'gitlab'],
  [/bitbucket/, 'bitbucket'],
  [/gitea|forgejo|^codeberg\.org$/, 'gitea'],
]

/** The provider that a host's name gives away. */
export const providerOfHost = (host: string): GitProvider =>
  PROVIDER_OF_HOST.find(([pattern]) => pattern.test(host))?.[1] ?? 'generic'
