import { type ControlPlane, ofLicense, PLATFORM } from '@svc/core'
import { appIdOf, type ObservedEntry } from '@svc/core/ports'
import { buildApp } from '@svc/testing'
import fc from 'fast-check'
import {
  LICENSES,
  licenseId,
  pick,
  rarely,
  type Step,
  scope,
  steps,
} from '../../packages/core/test/conformance/world.ts'
import type { World } from '../../packages/http/test/authorization/world.ts'
import { change, nothing, read } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

const name = fc.constantFrom('shop', 'blog')
const app = fc.record({ licenseId, name })
const settings = {
  fingerprint: rarely(fc.constant('fp-1')),
  moreHosts: fc.constantFrom([], ['fp-2', 'fp-3']),
  repoUrl: rarely(fc.constant('/srv/shop')),
}
const variable = fc.constantFrom('TOKEN', 'LEVEL', 'OTHER')
const idOf = (given: { readonly licenseId: string; readonly name: string }) =>
  appIdOf(given.licenseId, given.name)

const ensure = steps(
  'ensure app',
  app,
  (given) =>
    () =>
    ({ apps }, now) =>
      apps.ensure(given, now),
)
const add = steps(
  'add app',
  fc.record({ app, ...settings, max: fc.constantFrom(1, 2, 100) }),
  ({ app: owned, max, ...given }) =>
    () =>
    ({ apps }, now) =>
      apps.add(buildApp({ ...owned, ...given }), max, now),
)
const alter = steps(
  'change app',
  fc.record({ app, ...settings }),
  ({ app: owned, fingerprint, moreHosts, repoUrl }) =>
    () =>
    ({ apps }, now) =>
      apps.change(idOf(owned), { fingerprint, moreHosts, repoUrl }, now),
)
const setMove = steps(
  'move app',
  fc.record({ app, isMoving: fc.boolean(), at: fc.nat(2) }),
  ({ app: owned, isMoving, at }) =>
    () =>
    ({ apps }, now) => {
      const steps = [{ do: 'deploy', host: 'fp-2' } as const]
      const move = { kind: 'move', from: 'fp-1', to: 'fp-2', withData: false, steps, at } as const
      return apps.setMove(idOf(owned), isMoving ? move : undefined, now)
    },
)
const remove = steps(
  'remove app',
  app,
  (given) =>
    () =>
    ({ apps }) =>
      apps.remove(idOf(given)),
)
const look = steps('look for apps', fc.record({ app, scope }), (given) => () => async ({ apps }) => [
  await apps.get(given.scope, idOf(given.app)),
  await apps.lock(idOf(given.app)),
  await apps.find(given.scope, given.app.name),
  await apps.list(given.scope, 2),
  (await apps.variableNames([idOf(given.app)])).map(({ name }) => name).sort(),
])
const setVariables = steps(
  'set variables of app',
  fc.record({ app, names: fc.uniqueArray(variable, { maxLength: 3 }), isSecret: fc.boolean() }),
  ({ app: owned, names, isSecret }) =>
    () =>
    ({ apps }, now) => {
      const text = `of ${names.length}`
      const value = isSecret ? { value: undefined, secret: text } : { value: text, secret: undefined }
      return apps.setVariables(
        idOf(owned),
        names.map((each) => ({ name: each, ...value })),
        now,
      )
    },
)
const unsetVariables = steps(
  'unset variables of app',
  fc.record({ app, names: fc.uniqueArray(variable, { maxLength: 2 }) }),
  (given) =>
    () =>
    ({ apps }, now) =>
      apps.unsetVariables(idOf(given.app), given.names, now),
)
const variables = steps(
  'variables of app',
  app,
  (given) =>
    () =>
    ({ apps }) =>
      apps.variables(idOf(given)),
)

const domain = fc.constantFrom('a.example.com', 'b.example.com', 'b-a.example.com')
const putDomain = steps(
  'put domain of app',
  fc.record({ app, domain, pick, isLeaving: fc.boolean(), allow: rarely(fc.constant<string[]>(['::1'])) }),
  ({ app: owned, allow, pick: picked, ...given }) =>
    (world) => {
      const jobId = world.jobId(picked)
      const options = { tls: 'auto' as const, ...(allow && { allow }) }
      const row = { ...given, licenseId: owned.licenseId, appId: idOf(owned), options, jobId, madeBy: 'ann' }
      return ({ appDomains }, now) => appDomains.put(row, now)
    },
)
const removeDomain = steps(
  'remove domain of app',
  fc.record({ licenseId, domain }),
  (given) =>
    () =>
    ({ appDomains }) =>
      appDomains.remove(given.licenseId, given.domain),
)
const domains = steps(
  'domains of app',
  fc.record({ app, domain }),
  (given) =>
    () =>
    async ({ appDomains }) => [
      await appDomains.find(given.app.licenseId, given.domain),
      await appDomains.list(idOf(given.app)),
    ],
)

const database = fc.constantFrom('a', 'b', 'b-a')
const putDatabase = steps(
  'put database',
  fc.record({
    licenseId,
    name: database,
    engine: fc.constantFrom('postgres' as const, 'mariadb' as const, 'valkey' as const),
    op: fc.constantFrom('create' as const, 'drop' as const),
    links: fc.constantFrom([], [{ app: 'shop', as: 'DATABASE_URL' }]),
    pick,
  }),
  ({ pick: picked, ...given }) =>
    (world) => {
      const row = { ...given, jobId: world.jobId(picked), madeBy: 'ann' }
      return ({ appDatabases }, now) => appDatabases.put(row, now)
    },
)
const removeDatabase = steps(
  'remove database',
  fc.record({ licenseId, name: database }),
  (given) =>
    () =>
    ({ appDatabases }) =>
      appDatabases.remove(given.licenseId, given.name),
)
const databases = steps(
  'databases',
  fc.record({ licenseId, name: database }),
  (given) =>
    () =>
    async ({ appDatabases }) => [
      await appDatabases.find(given.licenseId, given.name),
      await appDatabases.list(given.licenseId),
    ],
)

const CRON = { name: 'clean', schedule: '@daily', timezone: 'UTC', running: false, skipped: 0 }
const SEEN: ObservedEntry = {
  ...{ app: 'staged-app', state: 'up', release: 1, up: 1, of: 1, restarts: 0 },
  crons: [CRON],
}

const noteApps = steps(
  'note states of apps',
  fc.record({
    licenseId,
    fingerprint: fc.constantFrom('fp-1', 'fp-2'),
    apps: fc.uniqueArray(name, { maxLength: 2 }),
    sha: rarely(fc.constant('d'.repeat(40))),
    state: fc.constantFrom('up', 'degraded', 'down', 'stopped', 'gone'),
    max: fc.constantFrom(1, 100),
  }),
  ({ apps, sha, state, max, ...host }) =>
    () =>
    ({ observedApps }, now) =>
      observedApps.note(
        host,
        apps.map((each) => ({ ...SEEN, app: each, state, sha })),
        max,
        now,
      ),
)
const seeApps = steps(
  'states of apps',
  fc.record({ scope, limit: fc.constantFrom(1, 100) }),
  (given) =>
    () =>
    async ({ observedApps }) => [
      await observedApps.list(given.scope, ['shop', 'blog']),
      await observedApps.troubles(given.limit),
      await observedApps.drifts(given.limit),
    ],
)

const COMMIT = 'd'.repeat(40)
const DOMAIN = 'staged.example.com'
const REPO = 'https://git.example/acme/site.git'
const staged = ({ own }: World) => ({ app: own.things.app })
const noApp = () => ({ app: 'app_none' })
const withDatabase = (world: World) => ({ ...staged(world), name: 'staged' })
const withoutDatabase = (world: World) => ({ ...staged(world), name: 'none' })

/** A deployment of the staged app that ended well. No other feature stages a job of its kind. */
async function succeed(plane: ControlPlane, license: string, fingerprint: string, sha: string) {
  const source = { type: 'git', repo_url: REPO, sha }
  const payload = { app: 'staged-app', source }
  await plane.jobs.enqueue({ licenseId: license, kind: 'redeploy', payload, target: fingerprint })
  const { jobs } = plane.storage
  const host = { licenseId: license, fingerprint, leaseSeconds: 60 }
  const { job } = await jobs.lease({ ...host, claimKey: undefined, kinds: ['redeploy'] })
  const end = { state: 'succeeded', exitCode: 0, error: undefined } as const
  await jobs.report({ ...host, ...end, jobId: job?.id ?? '', attempt: undefined })
}

/** Access to apps, and the random steps of their store. */
export const feature: Feature = {
  operations: {
    'apps.create': change(
      'platform.deploy',
      ({ own }) => ({ name: 'made', license: own.licenseId }),
      ({ own }) => ({ name: 'staged-app', license: own.licenseId }),
      'conflict',
    ),
    'apps.list': read('platform.read', nothing, ['not-found', () => ({ license: 'lic_none' })]),
    'apps.show': read('platform.read', staged, ['not-found', noApp]),
    'apps.set': change(
      'platform.deploy',
      (world) => ({ ...staged(world), repo_url: REPO }),
      () => ({
        ...noApp(),
        repo_url: REPO,
      }),
    ),
    'apps.deploy': change('platform.deploy', (world) => ({ ...staged(world), sha: COMMIT }), noApp),
    'apps.rollback': change('platform.deploy', staged, noApp),
    'apps.stop': change('platform.deploy', staged, noApp),
    'apps.start': change('platform.deploy', staged, noApp),
    'apps.restart': change('platform.deploy', staged, noApp),
    'apps.scale': change(
      'platform.deploy',
      (world) => ({ ...staged(world), processes: [{ process: 'web', count: 2 }] }),
      (world) => ({ ...staged(world), processes: [] }),
      'invalid-input',
    ),
    'apps.maintenance': change(
      'platform.deploy',
      (world) => ({ ...staged(world), on: true }),
      () => ({ ...noApp(), on: true }),
    ),
    'apps.move': change(
      'platform.deploy',
      ({ own }) => ({ app: 'moved-app', license: own.licenseId }),
      noApp,
    ),
    'apps.releases': read('platform.read', staged, ['not-found', noApp]),
    'apps.env-list': read('platform.read', staged, ['not-found', noApp]),
    'apps.env-set': change(
      'platform.deploy',
      (world) => ({ ...staged(world), variables: [{ name: 'LEVEL', value: 'debug' }] }),
      (world) => ({ ...staged(world), variables: [{ name: 'PORT', value: '1' }] }),
      'invalid-input',
    ),
    'apps.env-unset': change(
      'platform.deploy',
      (world) => ({ ...staged(world), names: ['LEVEL'] }),
      () => ({
        ...noApp(),
        names: ['LEVEL'],
      }),
    ),
    'apps.registry-list': read('platform.read', staged, ['not-found', noApp]),
    'apps.registry-login': change(
      'platform.deploy',
      (world) => ({ ...staged(world), registry: 'ghcr.io', user: 'ann', password: 'a password' }),
      (world) => ({ ...staged(world), registry: 'https://ghcr.io', user: 'ann', password: 'a password' }),
      'invalid-input',
    ),
    'apps.registry-logout': change(
      'platform.deploy',
      (world) => ({ ...staged(world), registry: 'ghcr.io' }),
      () => ({ ...noApp(), registry: 'ghcr.io' }),
    ),
    'apps.cron-list': read('platform.read', staged, ['not-found', noApp]),
    'apps.domains-list': read('platform.read', staged, ['not-found', noApp]),
    'apps.domains-add': change(
      'platform.deploy',
      (world) => ({ ...staged(world), domain: 'shop.example.com' }),
      (world) => ({ ...staged(world), domain: '*.example.com' }),
      'invalid-input',
    ),
    'apps.domains-remove': change(
      'platform.deploy',
      (world) => ({ ...staged(world), domain: DOMAIN }),
      (world) => ({ ...staged(world), domain: 'none.example.com' }),
    ),
    'apps.databases-list': read('platform.read', staged, ['not-found', noApp]),
    'apps.databases-create': change(
      'platform.deploy',
      (world) => ({ ...staged(world), name: 'made' }),
      (world) => ({ ...staged(world), name: 'postgres' }),
      'invalid-input',
    ),
    'apps.databases-link': change('platform.deploy', withDatabase, withoutDatabase),
    'apps.databases-unlink': change('platform.deploy', withDatabase, withoutDatabase),
    'apps.databases-rotate': change('platform.deploy', withDatabase, withoutDatabase),
    'apps.databases-backup': change('platform.deploy', withDatabase, withoutDatabase),
    'apps.databases-restore': change('platform.deploy', withDatabase, withoutDatabase),
    'apps.databases-undo': change('platform.deploy', withDatabase, withoutDatabase),
    'apps.databases-drop': change(
      'platform.deploy',
      (world) => ({ ...staged(world), name: 'unlinked', confirm: 'unlinked' }),
      (world) => ({ ...withoutDatabase(world), confirm: 'none' }),
    ),
    'apps.remove': change('platform.deploy', staged, noApp),
  },
  requests: {},
  stage: async (plane, license) => {
    const [host] = await plane.agents.list(ofLicense(license))
    const fingerprint = host?.fingerprint ?? ''
    const app = await plane.apps.create(license, 'staged-app', { fingerprint, repoUrl: REPO })
    const moved = await plane.apps.create(license, 'moved-app', { fingerprint, repoUrl: REPO })
    const ends = { kind: 'move', from: 'gone', to: fingerprint, withData: false } as const
    await plane.storage.apps.setMove(moved.id, { ...ends, steps: [], at: 0 }, plane.clock?.statementTime())
    for (const sha of ['e'.repeat(40), COMMIT]) await succeed(plane, license, fingerprint, sha)
    await plane.apps.observe({ licenseId: license, fingerprint }, [SEEN])
    await plane.appDomains.add(app, { domain: DOMAIN, tls: 'auto', madeBy: 'cli:ann' })
    for (const name of ['staged', 'unlinked'])
      await plane.appDatabases.order(app, { op: 'create', name, madeBy: 'cli:ann' })
    await plane.appDatabases.order(app, { op: 'unlink', name: 'unlinked', madeBy: 'cli:ann' })
    return { app: app.id }
  },
  commands: {
    'apps create': ({ bench }) => ['site', '--license', bench.license.id, '--host', 'web-1', '--repo', REPO],
    'apps list': () => [],
    'apps show': () => ['staged-app'],
    'apps set': () => ['staged-app', '--repo', REPO],
    'apps env set': () => ['staged-app', '--plain', 'LEVEL=debug'],
    'apps env list': () => ['staged-app'],
    'apps env unset': () => ['staged-app', 'LEVEL'],
    'apps registry list': () => ['staged-app'],
    'apps registry login': () => ['staged-app', 'ghcr.io', '--user', 'ann'],
    'apps registry logout': () => ['staged-app', 'ghcr.io'],
    'apps domains add': () => [
      'staged-app',
      'shop.example.com',
      '--tls',
      'internal',
      '--allow',
      '10.0.0.0/8',
    ],
    'apps databases create': () => ['staged-app', 'made', '--engine', 'valkey', '--as', 'CACHE_URL'],
    'apps databases list': () => ['staged-app'],
    'apps databases link': () => ['staged-app', 'staged', '--as', 'OTHER_URL'],
    'apps databases unlink': () => ['staged-app', 'staged'],
    'apps databases rotate': () => ['staged-app', 'staged'],
    'apps databases backup': () => ['staged-app', 'staged'],
    'apps databases undo': () => ['staged-app', 'staged'],
    'apps databases restore': () => ['staged-app', 'staged', '--dump', '20261129T120000Z-backup'],
    'apps databases drop': () => ['staged-app', 'unlinked', '--confirm', 'unlinked'],
    'apps cron list': () => ['staged-app'],
    'apps domains list': () => ['staged-app'],
    'apps domains remove': () => ['staged-app', DOMAIN],
    'apps deploy': () => ['staged-app', '--sha', COMMIT],
    'apps releases': () => ['staged-app'],
    'apps rollback': () => ['staged-app', '--to', COMMIT],
    'apps restart': () => ['staged-app'],
    'apps scale': () => ['staged-app', 'web=2'],
    'apps maintenance': () => ['staged-app', 'on'],
    'apps move': () => ['moved-app'],
    'apps stop': () => ['staged-app'],
    'apps start': () => ['staged-app'],
    'apps remove': () => ['staged-app'],
  },
  steps: [
    { weight: 2, arbitrary: ensure },
    { weight: 2, arbitrary: add },
    { weight: 1, arbitrary: alter },
    { weight: 1, arbitrary: setMove },
    { weight: 1, arbitrary: remove },
    { weight: 1, arbitrary: look },
    { weight: 2, arbitrary: setVariables },
    { weight: 1, arbitrary: unsetVariables },
    { weight: 1, arbitrary: variables },
    { weight: 1, arbitrary: putDatabase },
    { weight: 1, arbitrary: removeDatabase },
    { weight: 1, arbitrary: databases },
    { weight: 2, arbitrary: putDomain },
    { weight: 1, arbitrary: removeDomain },
    { weight: 1, arbitrary: domains },
    { weight: 2, arbitrary: noteApps },
    { weight: 1, arbitrary: seeApps },
  ] satisfies readonly fc.WeightedArbitrary<Step>[],
  contents: async ({ apps, appDatabases, appDomains, observedApps }) => {
    const all = await apps.list(PLATFORM, 1000)
    const found = []
    for (const { id } of all) found.push(await apps.variables(id))
    const domainsOfAll = []
    for (const { id } of all) domainsOfAll.push(await appDomains.list(id))
    const databasesOfAll = []
    for (const each of LICENSES) databasesOfAll.push(await appDatabases.list(each))
    return {
      apps: all,
      appDatabases: databasesOfAll,
      appVariables: found,
      appDomains: domainsOfAll,
      observedApps: await observedApps.list(PLATFORM, ['shop', 'blog']),
    }
  },
}
