import { createHash } from 'node:crypto'
import { type Message, NONE, PUSH, type Pushed } from './pushed.ts'

const idOf = (text: string): string => createHash('sha1').update(text).digest('hex')
const ann = { name: 'Ann Example', email: 'ann@acme.example', username: 'ann' }

const repository = {
  id: 186853002,
  node_id: 'MDEwOlJlcG9zaXRvcnkxODY4NTMwMDI=',
  name: 'shop',
  full_name: 'acme/shop',
  private: true,
  owner: { name: 'acme', email: null, login: 'acme', id: 21031067, type: 'Organization', site_admin: false },
  html_url: 'https://github.com/acme/shop',
  description: null,
  fork: false,
  url: 'https://github.com/acme/shop',
  created_at: 1557933565,
  updated_at: '2026-01-05T08:00:00Z',
  pushed_at: 1767603600,
  git_url: 'git://github.com/acme/shop.git',
  ssh_url: 'git@github.com:acme/shop.git',
  clone_url: 'https://github.com/acme/shop.git',
  default_branch: 'main',
  master_branch: 'main',
}
const sender = { login: 'ann', id: 21031067, type: 'User', site_admin: false }

const headersOf = (event: string, delivery: string) => ({
  'user-agent': 'GitHub-Hookshot/044aadd',
  'x-github-delivery': delivery,
  'x-github-event': event,
  'x-github-hook-id': '292430182',
  'x-github-hook-installation-target-id': '186853002',
  'x-github-hook-installation-target-type': 'repository',
})

/** A `push` of GitHub (docs.github.com, Webhook events and payloads). */
export function githubPush(pushed: Pushed = {}, delivery = '72d3162e-cc78-11e3-81ab-4c9367dc0958'): Message {
  const { ref, before, after, commits, forced = false, tagged } = { ...PUSH, ...pushed }
  const listed = commits.map(([message, ...paths], index) => ({
    id: index === commits.length - 1 && tagged === undefined ? after : idOf(`${message} ${index}`),
    tree_id: idOf(`tree of ${message}`),
    distinct: true,
    message,
    timestamp: '2026-01-05T09:00:00+01:00',
    url: `https://github.com/acme/shop/commit/${after}`,
    author: ann,
    committer: { name: 'GitHub', email: 'noreply@github.com', username: 'web-flow' },
    added: paths.slice(1, 2),
    removed: paths.slice(2),
    modified: paths.slice(0, 1),
  }))
  const deleted = after === NONE
  const body = {
    ref,
    before,
    after,
    repository,
    pusher: { name: 'ann', email: 'ann@acme.example' },
    organization: { login: 'acme', id: 21031067 },
    sender,
    created: before === NONE,
    deleted,
    forced,
    base_ref: tagged === undefined ? null : 'refs/heads/main',
    compare: `https://github.com/acme/shop/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
    commits: deleted ? [] : listed,
    head_commit: deleted ? null : { ...listed.at(-1), id: tagged ?? after },
  }
  return { headers: headersOf('push', delivery), body }
}

/** The `ping` that GitHub sends when a webhook is made. */
export const githubPing = (): Message => ({
  headers: headersOf('ping', '0b989ba4-242f-11e5-81e1-c7b6966d2516'),
  body: {
    zen: 'Keep it logically awesome.',
    hook_id: 292430182,
    hook: {
      type: 'Repository',
      id: 292430182,
      name: 'web',
      active: true,
      events: ['push'],
      config: { content_type: 'json', insecure_ssl: '0', url: 'https://svc.example/api/v1/git/webhook' },
    },
    repository,
    sender,
  },
})

/** An event that nobody asked for. */
export const githubStar = (): Message => ({
  headers: headersOf('star', '1b989ba4-242f-11e5-81e1-c7b6966d2516'),
  body: { action: 'created', starred_at: '2026-01-05T09:00:00Z', repository, sender },
})

const giteaUser = {
  id: 1,
  login: 'ann',
  full_name: 'Ann Example',
  email: 'ann@acme.example',
  avatar_url: 'https://git.example/avatars/1',
  username: 'ann',
}

const giteaHeaders = (event: string, delivery: string) => ({
  'user-agent': 'Go-http-client/1.1',
  'x-gitea-delivery': delivery,
  'x-gitea-event': event,
  'x-gitea-event-type': event,
  'x-gogs-delivery': delivery,
  'x-gogs-event': event,
  'x-gogs-event-type': event,
  // Both send the headers of GitHub beside their own.
  'x-github-delivery': delivery,
  'x-github-event': event,
  'x-github-event-type': event,
})

/** A `push` of Gitea (docs.gitea.com, Webhooks). */
export function giteaPush(pushed: Pushed = {}, delivery = 'f6266f16-1bf3-46a5-9ea4-602e06ead473'): Message {
  const { ref, before, after, commits, total } = { ...PUSH, ...pushed }
  const listed = commits.map(([message, ...paths], index) => ({
    id: index === 0 ? after : idOf(`${message} ${index}`),
    message,
    url: `https://git.example/acme/shop/commit/${after}`,
    author: ann,
    committer: ann,
    verification: null,
    timestamp: '2026-01-05T09:00:00Z',
    added: paths.slice(1, 2),
    removed: paths.slice(2),
    modified: paths.slice(0, 1),
  }))
  const body = {
    ref,
    before,
    after,
    compare_url: `https://git.example/acme/shop/compare/${before}...${after}`,
    commits: listed,
    total_commits: total ?? listed.length,
    head_commit: listed[0] ?? null,
    repository: {
      id: 140,
      owner: giteaUser,
      name: 'shop',
      full_name: 'acme/shop',
      description: '',
      empty: false,
      private: true,
      html_url: 'https://git.example/acme/shop',
      ssh_url: 'ssh://git@git.example:2222/acme/shop.git',
      clone_url: 'https://git.example/acme/shop.git',
      default_branch: 'main',
    },
    pusher: giteaUser,
    sender: giteaUser,
  }
  return { headers: giteaHeaders('push', delivery), body }
}

/** A `push` of Forgejo, which has headers of its own name, too (forgejo.org, Webhooks). */
export function forgejoPush(pushed: Pushed = {}, delivery = '8a1c0a3e-52a8-4a2a-a7a6-9d1d7e1d3e57'): Message {
  const { headers, body } = giteaPush(pushed, delivery)
  const own = { 'x-forgejo-delivery': delivery, 'x-forgejo-event': 'push', 'x-forgejo-event-type': 'push' }
  return { headers: { ...headers, ...own }, body }
}
