import { ofLicense, PLATFORM } from '@svc/core'
import { buildGitDelivery, buildGitHook } from '@svc/testing'
import fc from 'fast-check'
import {
  licenseId,
  order,
  rarely,
  type Step,
  scope,
  steps,
} from '../../packages/core/test/conformance/world.ts'
import { change, DEVELOPER, type host, LICENSE, nothing, read } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

const id = fc.constantFrom('ghk_1', 'ghk_2', 'ghk_3')
const ref = fc.constantFrom('refs/heads/main', 'refs/tags/v1', '')
const sha = fc.constantFrom('a'.repeat(40), 'b'.repeat(40))
const settings = { branch: fc.constantFrom('main', 'next'), tags: rarely(fc.constant('v*')) }

const add = steps(
  'add git hook',
  fc.record({
    id,
    licenseId,
    app: fc.constantFrom('shop', 'blog'),
    ...settings,
    max: fc.constantFrom(1, 2, 100),
  }),
  ({ max, ...given }) =>
    () =>
    ({ gitHooks }, now) =>
      gitHooks.add(buildGitHook(given), max, now),
)
const redefine = steps(
  'change git hook',
  fc.record({ id, ...settings }),
  (given) =>
    () =>
    ({ gitHooks }, now) =>
      gitHooks.change(given.id, buildGitHook(given), now),
)
const remove = steps(
  'remove git hook',
  id,
  (given) =>
    () =>
    ({ gitHooks }) =>
      gitHooks.remove(given),
)
const look = steps('look for git hooks', fc.record({ id, scope }), (given) => () => async ({ gitHooks }) => [
  await gitHooks.get(given.scope, given.id),
  await gitHooks.lock(given.id),
  await gitHooks.find(given.scope, 'shop'),
  await gitHooks.list(given.scope, 2),
])
const kind = fc.constantFrom('secret' as const, 'previous' as const, 'token' as const)
const setSecret = steps(
  'set secret of git hook',
  fc.record({
    hookId: id,
    kind,
    text: fc.constantFrom('SECRET-1', 'SECRET-2'),
    ends: rarely(fc.constantFrom(0, 60)),
  }),
  ({ ends, ...given }) =>
    () =>
    ({ gitHooks }, now) => {
      const until = ends === undefined ? undefined : new Date(now.getTime() + ends * 1000)
      return gitHooks.setSecret({ ...given, until })
    },
)
const removeSecret = steps(
  'remove secret of git hook',
  fc.record({ hookId: id, kind }),
  (given) =>
    () =>
    ({ gitHooks }) =>
      gitHooks.removeSecret(given.hookId, given.kind),
)
const secrets = steps(
  'secrets of git hook',
  id,
  (given) =>
    () =>
    ({ gitHooks }, now) =>
      gitHooks.secrets(given, now),
)
const key = {
  hookId: id,
  deliveryId: fc.constantFrom('one', 'two', 'three'),
  bodyDigest: fc.constantFrom('x', 'y'),
  ref,
}
const record = steps(
  'record git delivery',
  fc.record({
    ...key,
    place: order,
    before: rarely(sha),
    sha: rarely(sha),
    ignored: fc.constantFrom(undefined, undefined, 'paths' as const, 'duplicate' as const, 'stale' as const),
    jobId: rarely(fc.constantFrom('job_1', 'job_2')),
  }),
  ({ place, ...given }) =>
    (world) => {
      const delivery = buildGitDelivery({ ...given, id: world.id('gdl', place) })
      return ({ gitHooks }, now) => gitHooks.record(delivery, now)
    },
)
const judge = steps(
  'judge by earlier git deliveries',
  fc.record({ ...key, sha }),
  (given) =>
    () =>
    async ({ gitHooks }, now) => [
      await gitHooks.earlier(given, now),
      await gitHooks.latestOf(given.hookId, given.ref),
      await gitHooks.isReplaced(given.hookId, given.ref, given.sha),
      await gitHooks.deliveries(given.hookId, 2),
      await gitHooks.lastDeliveries(['ghk_1', given.hookId, 'ghk_3']),
    ],
)
const purge = steps(
  'purge git deliveries',
  fc.constantFrom(30, 1, 0),
  (days) =>
    () =>
    ({ gitHooks }, now) =>
      gitHooks.purge(days, now),
)

const REPO = 'https://git.example/acme/shop.git'
const COMMIT = 'c'.repeat(40)
// Operations may have forgotten the host by now: a hook that names it stays.
const hooked = ({ own }: Parameters<typeof host>[0]) => ({
  app: 'staged',
  fingerprint: own.fingerprint,
  license: own.licenseId,
  repo_url: REPO,
})
const noHook = () => ({ id: 'ghk_none' })
const code = 'hook-not-found' as const

/** Access to git hooks, and the random steps of their store. */
export const feature: Feature = {
  operations: {
    'git-hooks.add': change(
      'platform.deploy',
      hooked,
      (world) => ({ ...hooked(world), repo_url: 'file:///etc' }),
      'invalid-input',
    ),
    'git-hooks.update': change(
      'platform.deploy',
      ({ own }) => ({ id: own.things.gitHook, branch: 'next' }),
      noHook,
      code,
    ),
    'git-hooks.rotate': change('platform.deploy', ({ own }) => ({ id: own.things.gitHook }), noHook, code),
    'git-hooks.list': read('platform.read', nothing),
    'git-hooks.show': read('platform.read', ({ own }) => ({ id: own.things.gitHook }), [code, noHook]),
    'git.deliveries': read('platform.read', ({ own }) => ({ id: own.things.gitHook }), [code, noHook]),
    'git.test': change(
      'platform.deploy',
      ({ own }) => ({ id: own.things.gitHook, sha: COMMIT }),
      () => ({ ...noHook(), sha: COMMIT }),
      code,
    ),
    'git-hooks.remove': change('platform.deploy', ({ own }) => ({ id: own.things.gitHook }), noHook, code),
  },
  requests: {
    'GET /api/v1/git/hooks': { asks: LICENSE, good: 200 },
    'POST /api/v1/git/hooks': {
      asks: DEVELOPER,
      body: ({ own }) => ({ action: 'rotate', id: own.things.gitHook }),
      good: 200,
      foreign: 404,
    },
    'POST /api/v1/git/webhook': {
      asks: 'a license, or the secret of a git hook',
      body: () => ({ ref: 'refs/heads/main', sha: COMMIT }),
      good: 200,
    },
  },
  stage: async ({ gitHooks, agents }, license) => {
    const [host] = await agents.list(ofLicense(license))
    const fingerprint = host?.fingerprint ?? ''
    const { hook } = await gitHooks.set(license, 'staged', { fingerprint, repoUrl: REPO })
    return { gitHook: hook.id }
  },
  commands: {
    'git hooks add': ({ bench }) => [
      'shop',
      '--host',
      'web-1',
      '--license',
      bench.license.id,
      '--repo',
      REPO,
    ],
    'git hooks list': () => [],
    'git hooks show': () => ['staged'],
    'git hooks rotate': () => ['staged'],
    'git hooks disable': () => ['staged'],
    'git hooks enable': () => ['staged'],
    'git deliveries': () => ['staged'],
    'git test': () => ['staged', '--sha', COMMIT],
    'git hooks remove': () => ['staged'],
  },
  steps: [
    { weight: 3, arbitrary: add },
    { weight: 1, arbitrary: redefine },
    { weight: 1, arbitrary: remove },
    { weight: 1, arbitrary: look },
    { weight: 2, arbitrary: setSecret },
    { weight: 1, arbitrary: removeSecret },
    { weight: 1, arbitrary: secrets },
    { weight: 4, arbitrary: record },
    { weight: 2, arbitrary: judge },
    { weight: 1, arbitrary: purge },
  ] satisfies readonly fc.WeightedArbitrary<Step>[],
  contents: async ({ gitHooks }, now) => {
    const hooks = await gitHooks.list(PLATFORM, 1000)
    const found = []
    for (const hook of hooks)
      found.push(await gitHooks.secrets(hook.id, now), await gitHooks.deliveries(hook.id, 1000))
    return { gitHooks: hooks, gitHookRows: found }
  },
}
