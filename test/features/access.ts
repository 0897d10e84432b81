import { ofLicense, PLATFORM } from '@svc/core'
import { buildAccessSession } from '@svc/testing'
import fc from 'fast-check'
import {
  fingerprint,
  licenseId,
  type Step,
  scope,
  steps,
} from '../../packages/core/test/conformance/world.ts'
import { change, host, LICENSE, read, wrong } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

const id = fc.constantFrom('acs_1', 'acs_2', 'acs_3', 'acs_4')
const SHELLS = { staff: ['super_admin', 'operator'], tenant: ['owner'] }
const ROLES = { ...SHELLS, logs: { ...SHELLS, tenant: ['owner', 'developer'] } }
const operatorId = fc.option(fc.constantFrom('usr_1', 'usr_2', 'adm_1'), { nil: undefined })

const open = steps(
  'open session',
  fc.record({ id, licenseId, fingerprint, operatorId, perHost: fc.constantFrom(1, 2, 5) }),
  ({ perHost, ...given }) =>
    () =>
    (stores, now) => {
      const operatorKind = given.operatorId === undefined ? ('machine' as const) : ('user' as const)
      const session = buildAccessSession({ ...given, operatorKind, command: 'uptime', shownCommand: 'up' })
      return stores.accessSessions.open(session, { perHost, total: 4 }, now)
    },
)
const claim = steps(
  'claim sessions',
  fc.record({ licenseId, fingerprint, jtis: fc.constantFrom(['j1'], ['j2', 'j3']) }),
  ({ jtis, ...owner }) =>
    () =>
    (stores, now) =>
      stores.accessSessions.claim(owner, jtis, now),
)
const admit = steps(
  'admit to session',
  fc.record({ id, agent: fc.boolean(), jti: fc.constantFrom('j1', 'j2', 'j3') }),
  (given) =>
    () =>
    async ({ accessSessions }, now) => {
      const jti = given.agent ? given.jti : `operator of ${given.id}`
      const admitted = await accessSessions.admit(given.id, given.agent ? 'agent' : 'operator', jti, now)
      return [admitted, await accessSessions.connected(given.id, now)]
    },
)
const end = steps(
  'end session',
  fc.record({ id, reason: fc.constantFrom('done', 'no_peer'), bytesIn: fc.constantFrom(0, 7) }),
  (given) =>
    () =>
    ({ accessSessions }, now) =>
      accessSessions.end(
        given.id,
        { reason: given.reason, exitCode: 0, bytesIn: given.bytesIn, bytesOut: 0 },
        now,
      ),
)
const revoke = steps(
  'revoke session',
  fc.record({ scope, id }),
  (given) =>
    () =>
    ({ accessSessions }, now) =>
      accessSessions.revoke(given.scope, given.id, now),
)
const look = steps(
  'look at sessions',
  fc.record({ scope, id, seconds: fc.constantFrom(5, 60) }),
  (given) =>
    () =>
    async ({ accessSessions }, now) => [
      await accessSessions.over(['acs_1', 'acs_2', 'acs_9'], ROLES, now),
      await accessSessions.sweep(given.seconds, now),
      await accessSessions.due(now),
      await accessSessions.get(given.scope, given.id),
      await accessSessions.list(given.scope, { active: true, limit: 2 }),
    ],
)
const meet = steps(
  'meet host',
  fc.record({
    licenseId,
    fingerprint,
    key: fc.option(fc.constantFrom('k1', 'k2'), { nil: undefined }),
    atMs: fc.constantFrom(1, 2, 3),
    rule: fc.constantFrom('pin', 'pin', 'require', 'off'),
    resets: fc.constantFrom(false, false, false, true),
    modes: fc.constantFrom(undefined, ['shell'], ['shell', 'logs']),
  }),
  ({ key, atMs, rule, resets, modes, ...owner }) =>
    () =>
    async ({ accessSessions }, now) => {
      if (resets) return accessSessions.resetKey(owner)
      return accessSessions.meet(owner, key === undefined ? undefined : { key, atMs }, { rule, modes }, now)
    },
)

/** Access to sessions on hosts, and the random steps of their store. */
export const feature: Feature = {
  operations: {
    // First of all, while the staged host still counts as there.
    'ssh.open': {
      ...change('platform.ssh', host, wrong.host),
      personal: true,
    },
    'apps.logs': change(
      'platform.deploy',
      ({ own }) => ({ app: own.things.app }),
      () => ({ app: 'app_none' }),
    ),
    'apps.run': {
      ...change(
        'platform.ssh',
        ({ own }) => ({ app: own.things.app, command: 'id' }),
        () => ({ app: 'app_none', command: 'id' }),
      ),
      personal: true,
    },
    'apps.upload': change(
      'platform.deploy',
      ({ own }) => ({ app: own.things.app, sha: 'a'.repeat(40) }),
      () => ({ app: 'app_none', sha: 'a'.repeat(40) }),
    ),
    'ssh.sessions': read('platform.ssh', () => ({ active: true }), ['not-found', wrong.host]),
    'ssh.revoke': change(
      'platform.ssh',
      ({ own }) => ({ session: own.things.session }),
      () => ({ session: 'acs_none' }),
    ),
    'fleet.reset-key': { ...change('platform.ssh', host, wrong.host), personal: true },
  },
  requests: {
    'POST /api/v1/access/cli-session': {
      asks: 'a session with platform.ssh',
      body: host,
      good: 201,
      foreign: 404,
    },
    'GET /api/v1/access/pending': {
      asks: LICENSE,
      path: ({ own }) => ({ query: `?fingerprint=${own.fingerprint}&modes=shell,logs,run,upload` }),
      // The other license has a host of this fingerprint, too, since the row of heartbeats.
      good: 200,
    },
  },
  stage: async ({ storage, clock }, license) => {
    const [agent] = await storage.agents.list(ofLicense(license))
    const owner = {
      licenseId: license,
      fingerprint: agent?.fingerprint ?? '',
      hostname: agent?.hostname ?? '',
    }
    const id = license.replace('lic_', 'acs_')
    const session = buildAccessSession({ ...owner, id, pendingSeconds: 31_536_000 })
    await storage.accessSessions.meet(
      owner,
      undefined,
      { rule: 'pin', modes: ['logs', 'run', 'upload'] },
      clock.statementTime(),
    )
    await storage.transaction(({ accessSessions }) =>
      accessSessions.open(session, { perHost: 9, total: 99 }, clock.statementTime()),
    )
    return { session: session.id }
  },
  commands: {
    'ssh config': () => [],
    'ssh sessions': () => ['--active'],
    'ssh revoke': ({ things }) => [things.session ?? ''],
    'fleet reset-key': () => ['web-1'],
  },
  steps: [
    { weight: 3, arbitrary: open },
    { weight: 3, arbitrary: claim },
    { weight: 4, arbitrary: admit },
    { weight: 1, arbitrary: end },
    { weight: 1, arbitrary: revoke },
    { weight: 2, arbitrary: look },
    { weight: 2, arbitrary: meet },
  ] satisfies readonly fc.WeightedArbitrary<Step>[],
  contents: async ({ accessSessions }) => ({
    accessSessions: await accessSessions.list(PLATFORM, { active: false, limit: 1000 }),
  }),
}
