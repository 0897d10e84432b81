import { given, instant } from '../database/values.ts'
import type { CloneKind, GitHook, GitHookSettings, GitProvider, SubmoduleScope } from './git-hook.ts'

/** A row of `git_hooks` as the drivers give it. */
export interface HookRow {
  readonly id: string
  readonly license_id: string
  readonly app: string
  readonly fingerprint: string
  readonly provider: GitProvider
  readonly repo_url: string
  readonly branch: string
  readonly tags: string | null
  readonly paths: readonly string[]
  readonly paths_ignore: readonly string[]
  readonly enabled: boolean
  readonly cancel_in_progress: boolean
  readonly allow_skip: boolean
  readonly clone_kind: CloneKind
  readonly submodules: SubmoduleScope
  readonly deploy_key: string | null
  readonly created_at: string
  readonly updated_at: string
}

/** The hook of a row. */
export const toHook = (row: HookRow): GitHook => ({
  id: row.id,
  licenseId: row.license_id,
  app: row.app,
  fingerprint: row.fingerprint,
  provider: row.provider,
  repoUrl: row.repo_url,
  branch: row.branch,
  tags: given(row.tags),
  paths: row.paths,
  pathsIgnore: row.paths_ignore,
  enabled: row.enabled,
  cancelInProgress: row.cancel_in_progress,
  allowSkip: row.allow_skip,
  cloneKind: row.clone_kind,
  submodules: row.submodules,
  deployKey: given(row.deploy_key),
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
})

/** The settings of a hook as parameters, in the order of their columns. */
export const settingsParams = (settings: GitHookSettings): readonly unknown[] => [
  settings.fingerprint,
  settings.provider,
  settings.repoUrl,
  settings.branch,
  settings.tags,
  JSON.stringify(settings.paths),
  JSON.stringify(settings.pathsIgnore),
  settings.enabled,
  settings.cancelInProgress,
  settings.allowSkip,
  settings.cloneKind,
  settings.submodules,
  settings.deployKey,
]
