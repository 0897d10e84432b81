import type { PlantedBug } from './planted-bug.ts'

const USABLE_MS = 60_000

/** Faults in licenses, limits, hosts and the audit log. */
export const fleetBugs: readonly PlantedBug[] = [
  {
    name: 'license: kept usable in the memory of a replica',
    rules: ['I9 a barred license is refused'],
    seams: {
      storage: (storage, { timeline }) => {
        const known = new Map<string, { id: string; atMs: number }>()
        const usableId = async (digest: string) => {
          const cached = known.get(digest)
          if (cached !== undefined && timeline.nowMs - cached.atMs < USABLE_MS) return cached.id
          const id = await storage.licenses.usableId(digest)
          if (id !== undefined) known.set(digest, { id, atMs: timeline.nowMs })
          return id
        }
        return { ...storage, licenses: { ...storage.licenses, usableId } }
      },
    },
  },
  {
    name: 'license: suspended is as good as active',
    rules: ['I9 a barred license is refused'],
    seams: {
      stores: (stores) => ({
        ...stores,
        licenses: {
          ...stores.licenses,
          usableId: async (digest) => {
            const license = await stores.licenses.byKeyDigest(digest)
            return license?.status === 'revoked' ? undefined : license?.id
          },
        },
      }),
    },
  },
  {
    name: 'limit: one more than documented passes',
    rules: ['rate count'],
    seams: {
      rateCounter: (counter) => ({
        backend: counter.backend,
        count: async (limit, subject, now) => {
          const counted = await counter.count(limit, subject, now)
          return counted.count === limit.limit + 1 ? { ...counted, count: limit.limit } : counted
        },
      }),
    },
  },
  {
    name: 'limit: one window for all subjects',
    rules: ['rate count'],
    seams: {
      rateCounter: (counter) => ({
        backend: counter.backend,
        count: (limit, _subject, now) => counter.count(limit, 'all', now),
      }),
    },
  },
  {
    name: 'heartbeat: goes back with the clock of the database',
    rules: ['I8 heartbeats never go back'],
    seams: {
      stores: (stores, { tables, now }) => ({
        ...stores,
        agents: {
          ...stores.agents,
          heartbeat: async (write) => {
            const outcome = await stores.agents.heartbeat(write)
            const key = JSON.stringify([write.licenseId, write.fingerprint])
            const host = tables.agents.get(key)
            if (host !== undefined) tables.agents.put(key, { ...host, lastHeartbeat: now() })
            return outcome
          },
        },
      }),
    },
  },
  {
    name: 'heartbeat: undrains the host',
    rules: ['only operators drain'],
    seams: {
      stores: (stores, { tables }) => ({
        ...stores,
        agents: {
          ...stores.agents,
          heartbeat: async (write) => {
            const outcome = await stores.agents.heartbeat(write)
            const key = JSON.stringify([write.licenseId, write.fingerprint])
            const host = tables.agents.get(key)
            if (host !== undefined) tables.agents.put(key, { ...host, drainedAt: undefined })
            return outcome
          },
        },
      }),
    },
  },
  {
    name: 'heartbeat: tells of cancels of another license',
    rules: ['I7 own cancels only'],
    seams: {
      stores: (stores, { tables }) => ({
        ...stores,
        agents: {
          ...stores.agents,
          heartbeat: async (write) => {
            const outcome = await stores.agents.heartbeat(write)
            const held = tables.jobs.all().filter(({ job }) => job.claimedBy === write.fingerprint)
            return { ...outcome, cancel: held.filter(({ job }) => job.cancel).map(({ job }) => job.id) }
          },
        },
      }),
    },
  },
  {
    name: 'forget: takes the jobs of the host with it',
    rules: ['only writes to the queue change it'],
    seams: {
      stores: (stores, { tables }) => ({
        ...stores,
        agents: {
          ...stores.agents,
          forget: (licenseId, fingerprint, ...given) => {
            for (const { job } of tables.jobs.group(licenseId))
              if (job.claimedBy === fingerprint) tables.jobs.put(job.id, undefined)
            return stores.agents.forget(licenseId, fingerprint, ...given)
          },
        },
      }),
    },
  },
  {
    name: 'audit: an operation leaves no row',
    rules: ['operations are audited'],
    seams: { stores: (stores) => ({ ...stores, audit: { ...stores.audit, add: async () => {} } }) },
  },
]
