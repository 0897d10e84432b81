import { type Message, NONE, PUSH, type Pushed } from './pushed.ts'

const project = {
  id: 15,
  name: 'shop',
  description: '',
  web_url: 'https://gitlab.example/acme/shop',
  avatar_url: null,
  git_ssh_url: 'git@gitlab.example:acme/shop.git',
  git_http_url: 'https://gitlab.example/acme/shop.git',
  namespace: 'Acme',
  visibility_level: 0,
  path_with_namespace: 'acme/shop',
  default_branch: 'main',
  homepage: 'https://gitlab.example/acme/shop',
  url: 'git@gitlab.example:acme/shop.git',
  ssh_url: 'git@gitlab.example:acme/shop.git',
  http_url: 'https://gitlab.example/acme/shop.git',
}

/** A push event of GitLab, or a tag push event (docs.gitlab.com, Webhook events). */
export function gitlabPush(
  pushed: Pushed & { readonly header?: string } = {},
  id = '13792a34-cac6-4fda-95a8-c58e00a3954e',
): Message {
  const { ref, before, after, commits, total, tagged, header } = { ...PUSH, ...pushed }
  const isTag = ref.startsWith('refs/tags/')
  const kind = isTag ? 'tag_push' : 'push'
  const listed = commits.map(([message, ...paths]) => ({
    id: after,
    message,
    title: message.split('\n')[0],
    timestamp: '2026-01-05T09:00:00+00:00',
    url: `https://gitlab.example/acme/shop/-/commit/${after}`,
    author: { name: 'Ann Example', email: '[REDACTED]' },
    added: paths.slice(1, 2),
    modified: paths.slice(0, 1),
    removed: paths.slice(2),
  }))
  const body = {
    object_kind: kind,
    event_name: kind,
    before,
    after,
    ref,
    ref_protected: true,
    checkout_sha: after === NONE ? null : (tagged ?? after),
    message: null,
    user_id: 4,
    user_name: 'Ann Example',
    user_username: 'ann',
    user_email: '',
    user_avatar: null,
    project_id: 15,
    project,
    commits: after === NONE ? [] : listed,
    total_commits_count: total ?? (after === NONE ? 0 : listed.length),
    push_options: {},
    repository: {
      name: 'shop',
      url: project.ssh_url,
      description: '',
      homepage: project.homepage,
      git_http_url: project.git_http_url,
      git_ssh_url: project.git_ssh_url,
      visibility_level: 0,
    },
  }
  const headers = {
    'user-agent': 'GitLab/18.6.0',
    'idempotency-key': id,
    'x-gitlab-event': header ?? (isTag ? 'Tag Push Hook' : 'Push Hook'),
    'x-gitlab-event-uuid': id,
    'x-gitlab-instance': 'https://gitlab.example',
    'x-gitlab-webhook-uuid': 'ad9a4b35-4f0c-4d0c-9a0d-1d0f5b8b9d4e',
  }
  return { headers, body }
}

const cloudRef = (type: 'branch' | 'tag', name: string, hash: string) => ({
  type,
  name,
  target: {
    type: 'commit',
    hash,
    author: { type: 'author', raw: 'Ann Example <ann@acme.example>' },
    message: 'Sell more\n',
    date: '2026-01-05T09:00:00+00:00',
    parents: [],
  },
  links: { html: { href: `https://bitbucket.org/acme/shop/${type}/${name}` } },
})

/** One change of a push to Bitbucket. */
export interface CloudChange {
  readonly type?: 'branch' | 'tag'
  readonly name?: string
  readonly before?: string | null
  readonly after?: string | null
}

/** `repo:push` of Bitbucket Cloud (support.atlassian.com, Event payloads). */
export function cloudPush(
  changes: readonly CloudChange[] = [{}],
  id = 'e0a3b2f1-6f9c-4a0c-8a3d-2b9a7e1c5d10',
): Message {
  const body = {
    push: {
      changes: changes.map(
        ({ type = 'branch', name = 'main', before = PUSH.before, after = PUSH.after }) => ({
          old: before === null ? null : cloudRef(type, name, before),
          new: after === null ? null : cloudRef(type, name, after),
          created: before === null,
          closed: after === null,
          forced: false,
          truncated: false,
          links: { commits: { href: 'https://api.bitbucket.org/2.0/repositories/acme/shop/commits' } },
          commits: after === null ? [] : [{ type: 'commit', hash: after, message: 'Sell more\n' }],
        }),
      ),
    },
    repository: {
      type: 'repository',
      full_name: 'acme/shop',
      name: 'shop',
      scm: 'git',
      uuid: '{673a6070-3421-46c9-9d48-90745f7bfe8e}',
      is_private: true,
      links: { html: { href: 'https://bitbucket.org/acme/shop' } },
    },
    actor: { type: 'user', display_name: 'Ann Example', nickname: 'ann', account_id: '557058:1' },
  }
  const headers = {
    'user-agent': 'Bitbucket-Webhooks/2.0',
    'x-attempt-number': '1',
    'x-event-key': 'repo:push',
    'x-hook-uuid': '69c9a5a5-4b0c-4c9a-9d1c-0d9a0c7b8e11',
    'x-request-uuid': id,
  }
  return { headers, body }
}

/** `repo:refs_changed` of Bitbucket Data Center (confluence.atlassian.com, Event payload). */
export function serverPush(pushed: Pushed = {}, id = 'c1a6c0f6-3f1d-4d6a-9a0e-7a2b9c8d1e20'): Message {
  const { ref, before, after } = { ...PUSH, ...pushed }
  const isTag = ref.startsWith('refs/tags/')
  const body = {
    eventKey: 'repo:refs_changed',
    date: '2026-01-05T09:00:00+0000',
    actor: { name: 'ann', emailAddress: 'ann@acme.example', id: 1, displayName: 'Ann Example', active: true },
    repository: {
      slug: 'shop',
      id: 84,
      name: 'shop',
      scmId: 'git',
      state: 'AVAILABLE',
      forkable: true,
      project: { key: 'ACME', id: 84, name: 'Acme', public: false, type: 'NORMAL' },
      public: false,
    },
    changes: [
      {
        ref: { id: ref, displayId: ref.split('/').slice(2).join('/'), type: isTag ? 'TAG' : 'BRANCH' },
        refId: ref,
        fromHash: before,
        toHash: after,
        type: after === NONE ? 'DELETE' : before === NONE ? 'ADD' : 'UPDATE',
      },
    ],
  }
  const headers = {
    'user-agent': 'Atlassian HttpClient',
    'x-event-key': 'repo:refs_changed',
    'x-request-id': id,
  }
  return { headers, body }
}

/** The message of the button "Test connection" of Bitbucket Data Center. */
export const serverPing = (): Message => ({
  headers: { 'x-event-key': 'diagnostics:ping', 'x-request-id': '38056498-6e59-4e9b-8a5d-1b8b9a0a6f21' },
  body: { test: true },
})
