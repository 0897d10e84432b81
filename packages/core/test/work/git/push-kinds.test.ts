import { describe, expect, it } from '@jest/globals'
import { giteaPush, githubPush } from '../../../../../test/support/git-payloads/github.ts'
import { cloudPush, gitlabPush, serverPush } from '../../../../../test/support/git-payloads/others.ts'
import {
  type Message,
  NONE,
  PUSH,
  type Pushed,
  sha,
} from '../../../../../test/support/git-payloads/pushed.ts'
import type { Json } from '../../../src/work/git/push/read-json.ts'
import { readPush } from '../../../src/work/git/push/read-push.ts'

const cloud = ({ before = PUSH.before, after = PUSH.after }: Pushed): Message =>
  cloudPush([{ before: before === NONE ? null : before, after: after === NONE ? null : after }])

const HOSTS: Readonly<Record<string, (pushed: Pushed) => Message>> = {
  github: githubPush,
  gitlab: gitlabPush,
  gitea: giteaPush,
  'bitbucket cloud': cloud,
  'bitbucket server': serverPush,
}

const docs: Pushed['commits'] = [['Words', 'docs/x']]

// `whole`: the hosts whose lists are all that the push changed. Filters of paths count for these alone.
const KINDS: readonly (readonly [string, Pushed, readonly string[]])[] = [
  ['that goes on', { commits: docs }, ['github', 'gitlab', 'gitea']],
  ['of a new branch', { before: NONE, commits: docs }, []],
  ['without commits', { commits: [] }, []],
  ['by force, back to an older commit', { before: sha('b'), after: sha('a'), commits: [], forced: true }, []],
  // GitLab and Gitea send such a push as they send one that goes on.
  ['by force, of other commits', { commits: docs, forced: true }, ['gitlab', 'gitea']],
  ['of a branch that is deleted', { after: NONE, commits: [] }, []],
]

describe('a push', () => {
  it.each(
    KINDS.flatMap(([kind, pushed, whole]) =>
      Object.keys(HOSTS).map((host) => [kind, host, pushed, whole.includes(host)] as const),
    ),
  )('%s, from %s', (_, host, pushed, isWhole) => {
    const { headers, body } = HOSTS[host]?.(pushed) ?? { headers: {}, body: {} }
    const { what, refs } = readPush(headers, body as Json)
    const { before = PUSH.before, after = PUSH.after } = pushed
    expect(what).toBe('push')
    expect(refs).toHaveLength(1)
    expect(refs[0]).toMatchObject({
      ref: PUSH.ref,
      kind: 'branch',
      name: 'main',
      before: before === NONE ? undefined : before,
      isDeleted: after === NONE,
      isWhole,
    })
    if (after !== NONE) expect(refs[0]?.sha).toBe(after)
  })
})
