import type { GitProvider } from '../git-hook.ts'
import type { Push } from './push.ts'
import {
  bitbucketCloudPush,
  bitbucketServerPush,
  genericPush,
  giteaPush,
  githubPush,
  gitlabPush,
  type PushBody,
} from './push-bodies.ts'
import { type Json, textAt } from './read-json.ts'

/** The headers of a delivery, by names in lower case. */
export type PushHeaders = Readonly<Record<string, string | undefined>>

interface Kind {
  readonly provider: GitProvider
  /** Headers with the event's name. The first that is there tells the provider. */
  readonly eventHeaders: readonly string[]
  readonly idHeaders: readonly string[]
  whatOf(event: string, body: Json): Push['what']
  bodyOf(event: string, body: Json): PushBody
}

const isPush = (event: string): Push['what'] =>
  event === 'push' ? 'push' : event === 'ping' ? 'ping' : 'other'

function gitlabWhat(event: string, body: Json): Push['what'] {
  if (event === 'Push Hook' || event === 'Tag Push Hook') return 'push'
  const kind = textAt(body, 'object_kind') || textAt(body, 'event_name')
  return event === 'System Hook' && (kind === 'push' || kind === 'tag_push') ? 'push' : 'other'
}

const BITBUCKET: Readonly<Record<string, Push['what']>> = {
  'repo:push': 'push',
  'repo:refs_changed': 'push',
  'diagnostics:ping': 'ping',
}

// The order matters: Gitea, Forgejo and Gogs send the header of GitHub beside their own.
const KINDS: readonly Kind[] = [
  {
    provider: 'gitea',
    eventHeaders: ['x-forgejo-event', 'x-gitea-event', 'x-gogs-event'],
    idHeaders: ['x-forgejo-delivery', 'x-gitea-delivery', 'x-gogs-delivery'],
    whatOf: isPush,
    bodyOf: (_, body) => giteaPush(body),
  },
  {
    provider: 'gitlab',
    eventHeaders: ['x-gitlab-event'],
    idHeaders: ['webhook-id', 'idempotency-key', 'x-gitlab-event-uuid'],
    whatOf: gitlabWhat,
    bodyOf: (_, body) => gitlabPush(body),
  },
  {
    provider: 'bitbucket',
    eventHeaders: ['x-event-key'],
    idHeaders: ['x-request-uuid', 'x-request-id'],
    whatOf: (event) => BITBUCKET[event] ?? 'other',
    bodyOf: (event, body) => (event === 'repo:push' ? bitbucketCloudPush(body) : bitbucketServerPush(body)),
  },
  {
    provider: 'github',
    eventHeaders: ['x-github-event'],
    idHeaders: ['x-github-delivery'],
    whatOf: isPush,
    bodyOf: (_, body) => githubPush(body),
  },
]

const firstOf = (headers: PushHeaders, names: readonly string[]): string | undefined =>
  names.map((name) => headers[name]).find((value) => value !== undefined && value !== '')

/** Reads a delivery, whichever host sent it. */
export function readPush(headers: PushHeaders, body: Json): Push {
  for (const { provider, eventHeaders, idHeaders, whatOf, bodyOf } of KINDS) {
    const event = firstOf(headers, eventHeaders)
    if (event === undefined) continue
    const what = whatOf(event, body)
    const deliveryId = firstOf(headers, idHeaders)
    const read = what === 'push' ? bodyOf(event, body) : { ...bodyOf(event, body), refs: [] }
    return { provider, event, deliveryId, what, ...read }
  }
  const deliveryId = textAt(body, 'delivery_id') || undefined
  return { provider: 'generic', event: '', deliveryId, what: 'push', ...genericPush(body) }
}
