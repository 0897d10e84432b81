import { PLATFORM } from '@svc/core'
import { buildHeartbeat } from '@svc/testing'
import fc from 'fast-check'
import {
  fingerprint,
  licenseId,
  rarely,
  type Step,
  scope,
  steps,
} from '../../packages/core/test/conformance/world.ts'
import { buildTransferKey } from '../../packages/testing/src/hosts/transfer-keys/build-transfer-key.ts'
import { change, DEVELOPER, nothing, read } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

const id = fc.constantFrom('xfr_1', 'xfr_2', 'xfr_3', 'xfr_4')
const use = fc.constantFrom('xfs_1', 'xfs_2', 'xfs_3', 'xfs_4', 'xfs_5', 'xfs_6')

const add = steps(
  'add transfer key',
  fc.record({
    id,
    licenseId,
    sourceFingerprint: fingerprint,
    targetFingerprint: fingerprint,
    mode: fc.constantFrom('pull' as const, 'drop' as const),
    maxUses: fc.constantFrom(1, 2, 8),
    scope: rarely(fc.constantFrom({ app: 'shop' }, { paths: ['a', '"'] as string[] })),
    lasts: fc.constantFrom(60, 3600),
    mostActive: fc.constantFrom(1, 3, 50),
  }),
  ({ lasts, ...given }) =>
    (world) => {
      const expiresAt = new Date(+world.clock.now() + lasts * 1000)
      const key = buildTransferKey({ ...given, expiresAt })
      return (stores, now) => stores.transferKeys.add(key, now)
    },
)
const redeem = steps(
  'redeem transfer key',
  fc.record({ id: use, keyId: id, callerFingerprint: fingerprint, peerFingerprint: fingerprint }),
  (given) =>
    () =>
    ({ transferKeys }, now) =>
      transferKeys.redeem({ ...given, isReserved: false }, now),
)
const pin = steps(
  'try a PIN',
  fc.record({ id, useId: use, right: fc.boolean() }),
  ({ right, useId, ...given }) =>
    () =>
    async ({ transferKeys }, now) => {
      const tried = await transferKeys.tryPin(given.id, now)
      if (!right || tried === undefined) return tried
      const hosts = { callerFingerprint: 'a', peerFingerprint: 'b' }
      return transferKeys.redeem({ id: useId, keyId: given.id, ...hosts, isReserved: true }, now)
    },
)
const revoke = steps(
  'revoke transfer key',
  fc.record({ scope, id }),
  (given) =>
    () =>
    ({ transferKeys }, now) =>
      transferKeys.revoke(given.scope, given.id, now),
)
const reads = steps(
  'read transfer keys',
  fc.record({ scope, id, licenseId, fingerprint, limit: fc.constantFrom(1, 100) }),
  (given) =>
    () =>
    async ({ transferKeys }) => [
      await transferKeys.get(given.scope, given.id),
      await transferKeys.uses(given.id),
      await transferKeys.list(given.scope, given.limit),
      await transferKeys.knowsHost(given.licenseId, given.fingerprint),
    ],
)
const purge = steps(
  'purge transfer keys',
  fc.constantFrom(30, 1, 0),
  (days) =>
    () =>
    ({ transferKeys }, now) =>
      transferKeys.purge(days, now),
)

const wrongKey = () => ({ key: 'xfr_none' })
const hostsOf = (license: string) => ({ from: `giver-${license}`, to: `taker-${license}` })

/** Access to transfer keys, and the random steps of their store. */
export const feature: Feature = {
  operations: {
    'transfer.mint': change(
      'platform.deploy',
      ({ own }) => ({ license: own.licenseId, ...hostsOf(own.licenseId) }),
      ({ own }) => ({ ...hostsOf(own.licenseId), to: 'nowhere' }),
    ),
    'transfer.list': read('platform.read', nothing, ['not-found', () => ({ license: 'lic_none' })]),
    'transfer.show': read('platform.read', ({ own }) => ({ key: own.things.transferKey }), [
      'not-found',
      wrongKey,
    ]),
    'transfer.revoke': change('platform.deploy', ({ own }) => ({ key: own.things.transferKey }), wrongKey),
  },
  requests: {
    'POST /api/v1/transfer/keys': {
      asks: DEVELOPER,
      body: ({ own }) => ({
        source_fingerprint: `giver-${own.licenseId}`,
        target_fingerprint: `taker-${own.licenseId}`,
      }),
      good: 201,
      foreign: 404,
    },
  },
  stage: async ({ agents, transferKeys }, license) => {
    const { from, to } = hostsOf(license)
    for (const name of [from, to]) {
      const beat = buildHeartbeat({ licenseId: license, fingerprint: name, hostname: name })
      await agents.heartbeat({ ...beat, jobs: [] })
    }
    const hosts = { source_fingerprint: from, target_fingerprint: to }
    const answer = await transferKeys.mint(license, { ...hosts, mode: 'pull', max_uses: 1, ttl_s: 900 })
    if (answer.outcome !== 'minted') throw new Error(`no key was minted: ${answer.outcome}`)
    return { transferKey: answer.key.id, giver: from, taker: to }
  },
  commands: {
    'transfer mint': ({ things }) => ['--from', things.giver ?? '', '--to', things.taker ?? '', '--quiet'],
    'transfer list': () => [],
    'transfer show': ({ things }) => [things.transferKey ?? ''],
    'transfer revoke': ({ things }) => [things.transferKey ?? ''],
  },
  steps: [
    { weight: 2, arbitrary: add },
    { weight: 2, arbitrary: redeem },
    { weight: 2, arbitrary: pin },
    { weight: 1, arbitrary: revoke },
    { weight: 1, arbitrary: reads },
    { weight: 1, arbitrary: purge },
  ] satisfies readonly fc.WeightedArbitrary<Step>[],
  contents: async ({ transferKeys }) => ({ transferKeys: await transferKeys.list(PLATFORM, 1000) }),
}
