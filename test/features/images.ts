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
import { buildImage } from '../../packages/testing/src/work/images/build-image.ts'
import { change, LICENSE, nothing, fingerprint as ownHost, read } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

const checksum = fc.constantFrom('snapshot-1', 'snapshot-2', 'other-1')
const repo = fc.constantFrom('', 'repo-1')
const repository = fc.record({ licenseId, fingerprint, repo })
const seconds = rarely(fc.constantFrom(0, 1_700_000_000, 1_700_000_001))
const id = fc.constantFrom('img_1', 'img_2', 'img_3', 'img_4')
const instantOf = (at: number | undefined) => (at === undefined ? undefined : new Date(at * 1000))

const register = steps(
  'register image',
  fc.record({
    place: repository,
    id,
    checksum,
    kind: rarely(fc.constantFrom('snapshot' as const, 'image' as const)),
    sizeBytes: rarely(fc.constantFrom(0, 5)),
    label: rarely(fc.constantFrom('a', 'b')),
    tags: rarely(fc.constantFrom([], ['x', 'y'])),
    captured: seconds,
    verified: seconds,
    job: rarely(fc.nat(20)),
    attempt: rarely(fc.constantFrom(1, 2)),
  }),
  ({ place, captured, verified, job, ...given }) =>
    (world) => {
      const times = { capturedAt: instantOf(captured), verifiedAt: instantOf(verified) }
      const jobId = job === undefined ? undefined : world.jobId(job)
      const image = buildImage({ ...given, ...place, ...times, jobId })
      return (stores, now) => stores.images.register(image, now)
    },
)
const reconcile = steps(
  'reconcile images',
  fc.record({ place: repository, present: fc.subarray(['snapshot-1', 'snapshot-2']) }),
  ({ place, present }) =>
    () =>
    ({ images }, now) =>
      images.reconcile(place, present, now),
)
const reads = steps(
  'read images',
  fc.record({
    scope,
    id,
    prefix: fc.constantFrom('snapshot', 'other-1', 'x'),
    limit: fc.constantFrom(1, 100),
  }),
  ({ prefix, limit, ...given }) =>
    () =>
    async ({ images }) => [
      await images.get(given.scope, given.id),
      await images.find(given.scope, prefix, limit),
      await images.list(given.scope, { state: 'available', limit }),
    ],
)
const forget = steps(
  'forget image',
  fc.record({ id, force: fc.boolean() }),
  (given) =>
    () =>
    ({ images }) =>
      images.forget(given.id, given.force),
)
const purge = steps(
  'purge images',
  fc.constantFrom(180, 1, 0),
  (days) =>
    () =>
    ({ images }, now) =>
      images.purge(days, now),
)

const wrongImage = () => ({ image: 'img_none0000' })

/** Access to images, and the random steps of their store. */
export const feature: Feature = {
  operations: {
    'images.list': read('platform.read', nothing, ['not-found', () => ({ license: 'lic_none' })]),
    'images.show': read('platform.read', ({ own }) => ({ image: own.things.image }), [
      'not-found',
      wrongImage,
    ]),
    'images.restore': change(
      'platform.deploy',
      ({ own }) => ({ image: own.things.image, drill: true }),
      wrongImage,
    ),
    'images.forget': change(
      'platform.deploy',
      ({ own }) => ({ image: own.things.image, force: true }),
      wrongImage,
    ),
  },
  requests: {
    'POST /api/v1/images/register': {
      asks: LICENSE,
      body: (world) => ({ ...ownHost(world), checksum: 'a-snapshot-id' }),
      good: 200,
      past: [200, 201],
      foreign: 404,
    },
  },
  stage: async ({ agents, images }, license) => {
    // A host of its own: operations of the fleet forget the other one.
    const fingerprint = `keeper-${license}`
    await agents.heartbeat({
      ...buildHeartbeat({ licenseId: license, fingerprint, hostname: fingerprint }),
      jobs: [],
    })
    const answer = await images.register(license, { fingerprint, checksum: `staged-${license}` })
    return { image: answer.image.id, keeper: fingerprint }
  },
  commands: {
    'images list': () => [],
    'images show': ({ things }) => [things.image ?? ''],
    'images restore': ({ things }) => [things.image ?? ''],
    'images forget': ({ things }) => [things.image ?? '', '--force'],
  },
  steps: [
    { weight: 3, arbitrary: register },
    { weight: 1, arbitrary: reconcile },
    { weight: 1, arbitrary: reads },
    { weight: 1, arbitrary: forget },
    { weight: 1, arbitrary: purge },
  ] satisfies readonly fc.WeightedArbitrary<Step>[],
  contents: async ({ images }) => ({ images: await images.list(PLATFORM, { limit: 1000 }) }),
}
