import { PLATFORM } from '@svc/core'
import fc from 'fast-check'
import { licenseId, rarely, type Step, scope, steps } from '../../packages/core/test/conformance/world.ts'
import {
  buildFinding,
  buildScan,
  buildSettlement,
} from '../../packages/testing/src/watch/surface/build-surface.ts'
import { change, DEVELOPER, LICENSE, nothing, read } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

const domain = fc.constantFrom('shop.example', 'blog.example')
const id = fc.constantFrom('scn_1', 'scn_2', 'scn_3', 'scn_4')
const token = fc.constantFrom('one', 'two')
const FINDINGS = [
  buildFinding(),
  buildFinding({ id: 'public-ftp', check: 'ports', severity: 'medium', place: 'shop.example:21' }),
  buildFinding({ id: 'missing-csp', check: 'fingerprint', severity: 'info' }),
]
const some = fc.subarray(FINDINGS)
const target = { licenseId, domain }

const stepsOfTargets = [
  steps(
    'add target',
    fc.record({ ...target, most: fc.constantFrom(1, 100) }),
    (given) => () => (stores, now) => stores.surfaceTargets.add(given, now),
  ),
  steps(
    'note a proof',
    fc.record({ ...target, isProven: fc.constantFrom(true, true, false, undefined) }),
    (given) => () => (stores, now) =>
      stores.surfaceTargets.note({ ...given, reason: given.isProven ? undefined : 'no TXT record' }, now),
  ),
  steps(
    'look up again',
    fc.constantFrom(60, 86_400),
    (olderSeconds) => () => (stores, now) => stores.surfaceTargets.takeDue({ olderSeconds, limit: 10 }, now),
  ),
  steps(
    'remove target',
    fc.record(target),
    (given) =>
      () =>
      ({ surfaceTargets }) =>
        surfaceTargets.remove(given.licenseId, given.domain),
  ),
  steps(
    'note an address',
    fc.record({ licenseId, address: fc.constantFrom('192.0.2.1', '192.0.2.2'), most: fc.constantFrom(1, 9) }),
    (given) =>
      () =>
      async ({ surfaceTargets }, now) => {
        await surfaceTargets.noteAddress(given, now)
        return surfaceTargets.addresses(given.licenseId, 3600, now)
      },
  ),
  steps('purge scans', fc.constantFrom(1, 30), (days) => () => async (stores, now) => [
    await stores.surfaceScans.purge(days, now),
    await stores.surfaceTargets.purgeAddresses(days * 3600, now),
  ]),
]

const stepsOfScans = [
  steps(
    'start a scan',
    fc.record({ ...target, id, perHour: fc.constantFrom(1, 6), perDay: fc.constantFrom(2, 20) }),
    (given) =>
      () =>
      async ({ surfaceScans }, now) =>
        (await surfaceScans.get(PLATFORM, given.id)) === undefined
          ? surfaceScans.start(buildScan(given), now)
          : 'known',
  ),
  steps(
    'take a scan',
    fc.record({ token, mostRunning: fc.constantFrom(1, 2, 9) }),
    (given) => () => (stores, now) =>
      stores.surfaceScans.take({ ...given, leaseSeconds: 60, attempts: 2 }, now),
  ),
  steps(
    'renew or give back',
    fc.record({ id, token, progress: fc.constantFrom(0, 0.25, 0.5), back: rarely(fc.constant(true)) }),
    ({ back, ...given }) =>
      () =>
      ({ surfaceScans }, now) =>
        back
          ? surfaceScans.giveBack(given.id, given.token)
          : surfaceScans.renew({ ...given, leaseSeconds: 60 }, now),
  ),
  steps(
    'finish a scan',
    fc.record({
      id,
      token,
      seen: some,
      fixed: some,
      state: fc.constantFrom('done' as const, 'partial' as const),
    }),
    (given) =>
      () =>
      ({ surfaceScans }, now) => {
        const seen = new Set(given.seen.map(({ fingerprint }) => fingerprint))
        const fixed = given.fixed.map(({ fingerprint }) => fingerprint).filter((each) => !seen.has(each))
        return surfaceScans.finish({ ...buildSettlement(given.id, given.token), ...given, fixed }, now)
      },
  ),
  steps(
    'abort a scan',
    fc.record({ id, scope }),
    (given) =>
      () =>
      ({ surfaceScans }, now) =>
        surfaceScans.abort(given.scope, given.id, 'asked', now),
  ),
  steps(
    'read a surface',
    fc.record({ ...target, id, scope, limit: fc.constantFrom(1, 100) }),
    (given) =>
      () =>
      async ({ surfaceScans, surfaceTargets }) => [
        await surfaceScans.get(given.scope, given.id),
        await surfaceScans.last(given.licenseId, given.domain),
        await surfaceScans.counts(given.licenseId, given.domain),
        await surfaceScans.findings(given.scope, { limit: given.limit }),
        await surfaceTargets.get(given.licenseId, given.domain),
        await surfaceTargets.list(given.scope, { domain: given.domain, limit: given.limit }),
      ],
  ),
]

const domainOf = (license: string): string => `${license.replaceAll('_', '-')}.example`

/** Another domain, which the record of the first one proves: a scan of the first one may wait already. */
const secondOf = (license: string): string => `www.${domainOf(license)}`

/** Access to the public attack surface of domains, and the random steps of its stores. */
export const feature: Feature = {
  operations: {
    'surface.add': change(
      'platform.deploy',
      ({ own }) => ({ license: own.licenseId, domain: domainOf(own.licenseId) }),
      ({ own }) => ({ license: own.licenseId, domain: 'co.uk' }),
      'invalid-input',
    ),
    'surface.verify': change(
      'platform.deploy',
      ({ own }) => ({ license: own.licenseId, domain: domainOf(own.licenseId) }),
      () => ({ domain: 'none.example' }),
    ),
    'surface.list': read('platform.read', nothing, ['not-found', () => ({ license: 'lic_none' })]),
    'surface.show': read('platform.read', ({ own }) => ({ domain: own.things.surfaceScan }), [
      'not-found',
      () => ({ domain: 'none.example' }),
    ]),
    'surface.findings': read('platform.read', nothing, ['not-found', () => ({ domain: 'none.example' })]),
    'surface.abort': change(
      'platform.deploy',
      ({ own }) => ({ scan: own.things.surfaceScan }),
      () => ({ scan: 'scn_none' }),
    ),
    'surface.scan': change(
      'platform.deploy',
      ({ own }) => ({ license: own.licenseId, domain: secondOf(own.licenseId), checks: ['ports'] }),
      () => ({ domain: 'none.example' }),
    ),
    'surface.remove': change(
      'platform.deploy',
      ({ own }) => ({ license: own.licenseId, domain: domainOf(own.licenseId) }),
      () => ({ domain: 'none.example' }),
    ),
  },
  requests: {
    'POST /api/v1/attack-surface': {
      asks: DEVELOPER,
      body: ({ own }) => ({ domain: domainOf(own.licenseId) }),
      good: 200,
      foreign: 201,
      past: [200, 201],
    },
    'GET /api/v1/attack-surface': { asks: LICENSE, good: 200 },
    'POST /api/v1/attack-surface/scan': {
      asks: DEVELOPER,
      body: ({ own }) => ({ domain: domainOf(own.licenseId), checks: ['ports'] }),
      good: 202,
      foreign: 403,
      past: [202, 403, 409],
    },
    'GET /api/v1/attack-surface/scan': {
      asks: LICENSE,
      path: ({ own }) => ({ query: `?id=${own.things.surfaceScan}` }),
      good: 200,
      foreign: 404,
    },
  },
  stage: async ({ storage, clock, surface }, license, dns) => {
    const record = surface.challenge(license, domainOf(license))
    dns.answer(record.name, record.value)
    const { domain: name } = (await surface.add(license, domainOf(license))).target
    await surface.add(license, secondOf(license))
    const own = { licenseId: license, domain: name }
    const started = await storage.surfaceScans.start(
      buildScan({ ...own, id: `scn_${license}` }),
      clock.statementTime(),
    )
    if (started.outcome !== 'queued') throw new Error(`no scan was queued: ${started.outcome}`)
    const lease = { token: 'staged', leaseSeconds: 60, mostRunning: 9, attempts: 2 }
    await storage.surfaceScans.take(lease, clock.statementTime())
    const seen = [buildFinding({ severity: 'medium', host: name, place: name })]
    const settlement = { ...buildSettlement(started.scan.id, 'staged'), seen }
    await storage.surfaceScans.finish(settlement, clock.statementTime())
    return { surfaceDomain: name, surfaceScan: started.scan.id, surfaceLicense: license }
  },
  commands: {
    'surface list': () => [],
    'surface add': ({ things }) => [things.surfaceDomain ?? '', '--license', things.surfaceLicense ?? ''],
    'surface verify': ({ things }) => [things.surfaceDomain ?? ''],
    'surface show': ({ things }) => [things.surfaceDomain ?? ''],
    'surface findings': () => ['--open'],
    'surface abort': ({ things }) => [things.surfaceScan ?? ''],
    'surface scan': ({ things }) => [things.surfaceDomain ?? '', '--check', 'ports'],
    'surface remove': ({ things }) => [things.surfaceDomain ?? ''],
  },
  steps: [...stepsOfTargets, ...stepsOfScans].map((arbitrary) => ({
    weight: 1,
    arbitrary,
  })) satisfies readonly fc.WeightedArbitrary<Step>[],
  contents: async ({ surfaceScans, surfaceTargets }) => ({
    surfaceTargets: await surfaceTargets.list(PLATFORM, { limit: 1000 }),
    surfaceFindings: await surfaceScans.findings(PLATFORM, { limit: 1000 }),
  }),
}
