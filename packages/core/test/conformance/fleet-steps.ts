import type { JobKind } from '@svc/core'
import { LICENSE_STATUSES } from '@svc/core/ports'
import fc from 'fast-check'
import {
  fields,
  fingerprint,
  licenseId,
  order,
  pick,
  rarely,
  type Step,
  scope,
  steps,
  tenantId as tenant,
  words,
} from './world.ts'

const figure = rarely(fc.constantFrom(0, 12.5, -1, 1e308, 5e-324))

/** A heartbeat of a host. */
export const heartbeat = steps(
  'heartbeat',
  fc.record({
    licenseId,
    fingerprint,
    hostname: rarely(words),
    version: rarely(words),
    state: rarely(words),
    bootId: rarely(words),
    cpuPct: figure,
    memPct: figure,
    diskPct: figure,
    diskTotalGb: figure,
    lastCaptureAt: figure,
    captureSuccess: rarely(fc.boolean()),
    lastDrillAt: figure,
    drillPass: rarely(fc.boolean()),
  }),
  (write) => () => (stores, now) => stores.agents.heartbeat(write, now),
)

const change = steps(
  'change host',
  fc.record({
    licenseId,
    fingerprint,
    change: fc.record({ label: words, drained: fc.boolean() }, { requiredKeys: [] }),
  }),
  (given) => () => (stores, now) =>
    stores.agents.change(given.licenseId, given.fingerprint, given.change, now),
)

const noteWork = steps(
  'note the work of a host',
  fc.record({
    licenseId,
    fingerprint,
    kinds: rarely(fc.subarray<JobKind>(['deploy', 'db', 'prune'])),
    concurrency: rarely(fc.constantFrom(1, 2, 1000)),
  }),
  ({ kinds, concurrency, ...host }) =>
    () =>
    (stores) =>
      stores.agents.noteWork(host.licenseId, host.fingerprint, { kinds, concurrency }),
)

const forget = steps(
  'forget host',
  fc.record({ licenseId, fingerprint, silentSeconds: rarely(fc.constantFrom(0, 1, 60, 600)) }),
  (host) => () => (stores, now) =>
    stores.agents.forget(host.licenseId, host.fingerprint, host.silentSeconds, now),
)

const turnAway = steps(
  'turn host away',
  fc.record({ licenseId, fingerprint, most: fc.constantFrom(0, 1, 2, 3) }),
  (host) => () => (stores) => stores.agents.turnAway(host.licenseId, host.fingerprint, host.most),
)

const ISSUED = ['lic_a', 'lic_b', 'lic_c']
const issued = fc.constantFrom(...ISSUED)
const keyDigest = fc.constantFrom('digest-1', 'digest-2', 'digest-3')

const addLicense = steps(
  'add license',
  fc.record({
    id: issued,
    keyDigest,
    tenantId: rarely(tenant),
    label: words,
    expiresIn: rarely(fc.constantFrom(-1, 0, 60, 600)),
  }),
  ({ expiresIn, ...license }) =>
    () =>
    (stores, now) => {
      const expiresAt = expiresIn === undefined ? undefined : new Date(now.getTime() + expiresIn * 1000)
      return stores.licenses.add({ ...license, expiresAt }, now)
    },
)

const setStatus = steps(
  'set license status',
  fc.record({ id: issued, status: fc.constantFrom(...LICENSE_STATUSES, 'active' as const) }),
  ({ id, status }) =>
    () =>
    (stores) =>
      stores.licenses.setStatus(id, status),
)

const changeLicense = steps(
  'change license',
  fc.record({ id: issued, label: rarely(words), expiresIn: rarely(fc.constantFrom(null, 0, 60, 600)) }),
  ({ id, label, expiresIn }) =>
    () =>
    (stores, now) => {
      const end = typeof expiresIn === 'number' ? new Date(now.getTime() + expiresIn * 1000) : expiresIn
      return stores.licenses.change(id, {
        ...(label === undefined ? {} : { label }),
        ...(end === undefined ? {} : { expiresAt: end }),
      })
    },
)

const readLicense = steps(
  'read license',
  fc.record({ id: issued, keyDigest, scope, name: fc.oneof(issued, words) }),
  (given) =>
    () =>
    async ({ licenses }, now) => [
      await licenses.usableId(given.keyDigest, now),
      await licenses.byKeyDigest(given.keyDigest),
      await licenses.get(given.id),
      await licenses.hasAny(),
      await licenses.list(given.scope),
      await licenses.named(given.scope, { name: given.name, keyDigest: given.keyDigest, isEnd: true }),
    ],
)

/** A look-up of a key, at the instant of the sequence or after it. */
export const readKey = steps(
  'read key',
  fc.record({ keyDigest, secondsLater: fc.constantFrom(0, 0, 60, 600) }),
  (given) =>
    () =>
    ({ licenses }, now) =>
      licenses.usableId(given.keyDigest, new Date(now.getTime() + given.secondsLater * 1000)),
)

const addTenant = steps(
  'add tenant',
  fc.record({ id: tenant, name: words }),
  (given) => () => (stores, now) => stores.tenants.add(given, now),
)

const findTenant = steps(
  'find tenant',
  fc.record({ scope, idOrName: fc.oneof(tenant, words) }),
  (given) =>
    () =>
    async ({ tenants }) => [await tenants.find(given.scope, given.idOrName), await tenants.list(given.scope)],
)

const addDeployment = steps(
  'add deployment',
  fc.record({ order, pick, app: words, source: fields, madeBy: rarely(words) }),
  ({ order: place, pick: which, app, source, madeBy }) =>
    async (world) => {
      const jobId = world.jobId(which)
      const id = world.id('dep', place)
      const { licenseId: own = 'lic_a' } = (await world.job(which)) ?? {}
      return async ({ deployments }, now) => {
        await deployments.add({ id, licenseId: own, jobId, app, source, madeBy }, now)
        return [await deployments.get(id), await deployments.newestOf([{ licenseId: own, app }])]
      }
    },
)

/** Steps that change hosts, licenses, tenants and deployments. */
export const fleetSteps: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 6, arbitrary: heartbeat },
  { weight: 4, arbitrary: change },
  { weight: 1, arbitrary: forget },
  { weight: 1, arbitrary: noteWork },
  { weight: 1, arbitrary: turnAway },
  { weight: 2, arbitrary: addLicense },
  { weight: 2, arbitrary: setStatus },
  { weight: 1, arbitrary: changeLicense },
  { weight: 2, arbitrary: readLicense },
  { weight: 1, arbitrary: readKey },
  { weight: 2, arbitrary: addTenant },
  { weight: 1, arbitrary: findTenant },
  { weight: 2, arbitrary: addDeployment },
]
