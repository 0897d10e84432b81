import type { GitHookView } from '@svc/core'
import { ago, facts, instant, type Page, table } from '../../terminal/render.ts'

/** The answer to commands that set or show a hook. */
export interface HookAnswer {
  readonly hook: GitHookView
  readonly webhook_url: string
  readonly secret?: string
  readonly created?: boolean
  readonly setup: {
    readonly content_type: string
    readonly events: readonly string[]
    readonly secret_field: string
    readonly page: string
    readonly key_page: string
  }
}

/** Hooks as people read them. */
export const hooksTable = (hooks: readonly GitHookView[], page: Page): string =>
  table(
    [
      { title: 'ID', narrow: 'leaves', text: ({ id }) => id },
      { title: 'APP', text: ({ app }) => app },
      { title: 'REPOSITORY', narrow: 'shrinks', text: ({ repo_url }) => repo_url },
      {
        title: 'BRANCH',
        text: ({ branch, tags }) => (tags === undefined ? branch : `${branch}, tags ${tags}`),
      },
      {
        title: 'STATE',
        text: ({ enabled }) => (enabled ? 'active' : 'paused'),
        colour: ({ enabled }) => (enabled ? 'green' : 'yellow'),
      },
      { title: 'LAST', text: ({ last_delivery: last }) => last?.outcome ?? 'nothing yet' },
      { title: 'WHEN', text: ({ last_delivery: last }) => (last === undefined ? '' : ago(last.at, page)) },
    ],
    hooks,
    page,
  )

/** A hook with all that is known of it. */
export const hookFacts = ({ hook, webhook_url, secret }: HookAnswer, page: Page): string =>
  facts(
    [
      ['id', hook.id],
      ['app', hook.app],
      ['repository', hook.repo_url],
      ['branch', hook.branch],
      ['tags', hook.tags],
      ['paths', hook.paths.length === 0 ? undefined : hook.paths.join(', ')],
      ['paths ignored', hook.paths_ignore.length === 0 ? undefined : hook.paths_ignore.join(', ')],
      ['host', `fp:${hook.fingerprint}`],
      ['state', hook.enabled ? 'active' : 'paused'],
      ['cloned with', hook.clone],
      ['lent to submodules', hook.clone === 'none' ? undefined : hook.submodules],
      ['made', instant(hook.created_at, page)],
      ['last delivery', hook.last_delivery?.outcome],
      ['address', webhook_url],
      ['secret', secret],
      ['deploy key', hook.deploy_key],
    ],
    page,
  )

/** Returns the steps at the git host. */
export function setupLines({ hook, webhook_url, setup }: HookAnswer): readonly string[] {
  const key =
    hook.deploy_key === undefined
      ? []
      : [`Enter the deploy key at: ${setup.key_page} (read access is enough)`]
  if (hook.provider === 'generic') {
    return [
      ...key,
      `Let ${setup.page} run, with the secret in SECRET:`,
      `  curl -H "Authorization: Bearer $SECRET" -d '{"ref":"refs/heads/${hook.branch}","sha":"…"}' '${webhook_url}'`,
    ]
  }
  return [
    ...key,
    `Enter the address and the secret at: ${setup.page}`,
    `  address into the field for the URL, secret into "${setup.secret_field}", content type ${setup.content_type}`,
    `  events: ${setup.events.join(', ')}`,
  ]
}
