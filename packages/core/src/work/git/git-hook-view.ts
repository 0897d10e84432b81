import { unixSeconds } from '../../kernel/clock.ts'
import { present } from '../../kernel/present.ts'
import type { GitHook, GitProvider } from './git-hook.ts'
import type { GitDelivery } from './git-hooks-store.ts'

/** A delivery as operators and holders of a license see it. */
export const deliveryView = (delivery: GitDelivery) => ({
  at: unixSeconds(delivery.receivedAt),
  delivery_id: delivery.deliveryId,
  provider: delivery.provider,
  event: delivery.event,
  ref: delivery.ref,
  outcome: delivery.ignored === undefined ? ('accepted' as const) : ('ignored' as const),
  ...present('ignored', delivery.ignored),
  ...present('sha', delivery.sha),
  ...present('job_id', delivery.jobId),
  address: delivery.address,
})
/** A delivery as operators and holders of a license see it. */
export type GitDeliveryView = ReturnType<typeof deliveryView>

const lastView = ({ receivedAt, ignored, sha, jobId }: GitDelivery) => ({
  at: unixSeconds(receivedAt),
  outcome: ignored ?? 'accepted',
  ...present('sha', sha),
  ...present('job_id', jobId),
})

/** A hook without its secrets; instants in unix seconds. */
export const hookView = (hook: GitHook, last: GitDelivery | undefined) => ({
  id: hook.id,
  license_id: hook.licenseId,
  app: hook.app,
  fingerprint: hook.fingerprint,
  provider: hook.provider,
  repo_url: hook.repoUrl,
  branch: hook.branch,
  ...present('tags', hook.tags),
  paths: hook.paths,
  paths_ignore: hook.pathsIgnore,
  enabled: hook.enabled,
  cancel_in_progress: hook.cancelInProgress,
  allow_skip: hook.allowSkip,
  clone: hook.cloneKind,
  submodules: hook.submodules,
  ...present('deploy_key', hook.deployKey),
  created_at: unixSeconds(hook.createdAt),
  updated_at: unixSeconds(hook.updatedAt),
  ...(last === undefined ? {} : { last_delivery: lastView(last) }),
})
/** A hook without its secrets. */
export type GitHookView = ReturnType<typeof hookView>

interface Setup {
  readonly content_type: string
  readonly events: readonly string[]
  /** The field of the page that takes the secret. */
  readonly secret_field: string
  /** The way to the page. */
  readonly page: string
  /** The page that takes the deploy key. */
  readonly key_page: string
}

const JSON_TYPE = 'application/json'
const SETUPS: Readonly<Record<GitProvider, Setup>> = {
  github: {
    content_type: JSON_TYPE,
    events: ['push'],
    secret_field: 'Secret',
    page: 'Settings > Webhooks > Add webhook',
    key_page: 'Settings > Deploy keys > Add deploy key',
  },
  gitlab: {
    content_type: JSON_TYPE,
    events: ['Push events', 'Tag push events'],
    secret_field: 'Signing token',
    page: 'Settings > Webhooks > Add new webhook',
    key_page: 'Settings > Repository > Deploy keys',
  },
  gitea: {
    content_type: JSON_TYPE,
    events: ['push'],
    secret_field: 'Secret',
    page: 'Settings > Webhooks > Add Webhook > Gitea',
    key_page: 'Settings > Deploy Keys > Add Deploy Key',
  },
  bitbucket: {
    content_type: JSON_TYPE,
    events: ['Repository push'],
    secret_field: 'Secret',
    page: 'Repository settings > Webhooks > Add webhook',
    key_page: 'Repository settings > Access keys > Add key',
  },
  generic: {
    content_type: JSON_TYPE,
    events: ['push'],
    secret_field: 'Authorization: Bearer',
    page: 'a post-receive hook, or a step of a pipeline',
    key_page: "the server's authorized_keys",
  },
}

/** Returns how to fill in the form of the git host, and where it is. */
export const setupOf = ({ provider }: GitHook): Setup => SETUPS[provider]
