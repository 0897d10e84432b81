import { ofLicense, PLATFORM } from '@svc/core'
import { buildId } from '../build-id.ts'
import { buildAccessSession } from '../hosts/access/build-access-session.ts'
import { buildTransferKey } from '../hosts/transfer-keys/build-transfer-key.ts'
import { buildHeartbeat } from '../work/agents/build-heartbeat.ts'
import { buildImage } from '../work/images/build-image.ts'
import { buildJob } from '../work/jobs/build-job.ts'
import { idsOf, type ScopedRead } from './scoped-read.ts'

type Thing = Required<Pick<ScopedRead, 'of' | 'add'>>
const host: Thing = {
  of: 'license',
  add: async ({ agents }, { licenseId }, now) => {
    const fingerprint = buildId('fp')
    await agents.heartbeat(buildHeartbeat({ licenseId, fingerprint }), now)
    return fingerprint
  },
}
const job: Thing = {
  of: 'license',
  add: async ({ jobs }, { licenseId }, now) => (await jobs.enqueue(buildJob({ licenseId }), now)).job.id,
}
const session: Thing = {
  of: 'license',
  add: async (stores, { licenseId }, now) => {
    const { id, ...made } = buildAccessSession({ licenseId, fingerprint: 'fp-1' })
    await stores.accessSessions.open({ id, ...made }, { perHost: 9, total: 999 }, now)
    return id
  },
}
const image: Thing = {
  of: 'license',
  add: async ({ agents, images }, { licenseId }, now) => {
    await agents.heartbeat(buildHeartbeat({ licenseId, fingerprint: 'fp-1' }), now)
    const added = buildImage({ licenseId })
    await images.register(added, now)
    return added.id
  },
}
const transferKey: Thing = {
  of: 'license',
  add: async ({ agents, transferKeys }, { licenseId }, now) => {
    for (const fingerprint of ['fp-1', 'fp-2'])
      await agents.heartbeat(buildHeartbeat({ licenseId, fingerprint }), now)
    const id = buildId('xfr')
    await transferKeys.add(buildTransferKey({ id, licenseId }), now)
    return id
  },
}

/** The reads of hosts and of their things, and writes by an id that a caller names. */
export const hostReads: Readonly<Record<string, ScopedRead>> = {
  'agents.list': {
    ...host,
    read: async ({ agents }, scope) => (await agents.list(scope)).map(({ fingerprint }) => fingerprint),
  },
  'accessSessions.list': {
    ...session,
    read: async ({ accessSessions }, scope) =>
      idsOf(await accessSessions.list(scope, { active: false, limit: 999 })),
  },
  'accessSessions.get': {
    ...session,
    read: async ({ accessSessions }, scope, { id }) => idsOf(await accessSessions.get(scope, id)),
  },
  'jobs.list': { ...job, read: async ({ jobs }, scope) => idsOf(await jobs.list(scope, { limit: 999 })) },
  'jobs.lookedTo': {
    of: 'license',
    add: async ({ jobs }, { licenseId }, now) => {
      const { job: made } = await jobs.enqueue(buildJob({ licenseId }), now)
      await jobs.requestCancel(
        ofLicense(licenseId),
        { jobId: made.id, fingerprint: undefined, reason: '' },
        now,
      )
      return made.id
    },
    read: async ({ jobs }, scope) => {
      const ids: string[] = []
      for (;;) {
        const id = await jobs.lookedTo(scope, {}, ids.length + 1)
        if (id === undefined) return ids
        ids.push(id)
      }
    },
  },
  'jobs.get': { ...job, read: async ({ jobs }, scope, { id }) => idsOf(await jobs.get(scope, id)) },
  'jobs.requestCancel': {
    ...job,
    read: async ({ jobs }, scope, { id }) => {
      const cancelled = await jobs.requestCancel(scope, { jobId: id, fingerprint: undefined, reason: '' })
      return idsOf(cancelled?.job)
    },
  },
  'images.list': {
    ...image,
    read: async ({ images }, scope) => idsOf(await images.list(scope, { limit: 999 })),
  },
  'images.get': { ...image, read: async ({ images }, scope, { id }) => idsOf(await images.get(scope, id)) },
  'images.find': {
    ...image,
    read: async ({ images }, scope, { id }) => {
      const checksum = (await images.get(PLATFORM, id))?.checksum
      return idsOf(await images.find(scope, checksum ?? '', 99))
    },
  },
  'transferKeys.list': {
    ...transferKey,
    read: async ({ transferKeys }, scope) => idsOf(await transferKeys.list(scope, 999)),
  },
  'transferKeys.get': {
    ...transferKey,
    read: async ({ transferKeys }, scope, { id }) => idsOf(await transferKeys.get(scope, id)),
  },
  'transferKeys.revoke': {
    ...transferKey,
    read: async ({ transferKeys }, scope, { id }) => idsOf(await transferKeys.revoke(scope, id)),
  },
}
