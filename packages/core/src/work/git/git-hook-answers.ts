import { optional } from 'superstruct'
import { flag, listOf, namedShape, namedWords, oneOf, shape, text, whole } from '../../kernel/validation.ts'
import { CLONE_KINDS, GIT_PROVIDERS, SUBMODULE_SCOPES } from './git-hook.ts'
import { IGNORED } from './push/push-verdict.ts'

const ANY = Number.POSITIVE_INFINITY
const count = whole(0, Number.MAX_SAFE_INTEGER)
const word = text(0, 4096)
namedWords('GitProvider', GIT_PROVIDERS)
namedWords('CloneKind', CLONE_KINDS)

const hook = namedShape('GitHook', {
  id: word,
  license_id: word,
  app: word,
  fingerprint: word,
  provider: oneOf(GIT_PROVIDERS),
  repo_url: word,
  branch: word,
  tags: optional(word),
  paths: listOf(word, ANY),
  paths_ignore: listOf(word, ANY),
  enabled: flag(),
  cancel_in_progress: flag(),
  allow_skip: flag(),
  clone: oneOf(CLONE_KINDS),
  submodules: oneOf(SUBMODULE_SCOPES),
  deploy_key: optional(word),
  created_at: count,
  updated_at: count,
  last_delivery: optional(shape({ at: count, outcome: word, sha: optional(word), job_id: optional(word) })),
})
const setup = namedShape('GitHookSetup', {
  content_type: word,
  events: listOf(word, ANY),
  secret_field: word,
  page: word,
  key_page: word,
})
const delivery = namedShape('GitDelivery', {
  at: count,
  delivery_id: word,
  provider: oneOf(GIT_PROVIDERS),
  event: word,
  ref: word,
  outcome: oneOf(['accepted', 'ignored']),
  ignored: optional(oneOf(IGNORED)),
  sha: optional(word),
  job_id: optional(word),
  address: word,
})

/** The answers of the operations on git hooks, by verb. */
export const GIT_ANSWERS = {
  set: {
    ok: flag(),
    created: flag(),
    hook,
    secret: optional(word),
    webhook_url: word,
    deploy_key: optional(word),
    setup,
  },
  one: { ok: flag(), hook, webhook_url: optional(word), setup },
  list: { ok: flag(), hooks: listOf(hook, ANY) },
  removed: { ok: flag(), id: word },
  deliveries: { hook, deliveries: listOf(delivery, ANY), next_cursor: optional(word) },
  test: {
    hook_id: word,
    delivered: flag(),
    http_status: optional(count),
    answer: optional(word),
    /** The command that deploys a commit which newer pushes came after. */
    advice: optional(word),
    error: optional(word),
  },
} as const
