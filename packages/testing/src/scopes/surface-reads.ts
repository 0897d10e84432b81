import type { Stores } from '@svc/core/ports'
import { buildId } from '../build-id.ts'
import { buildFinding, buildScan, buildSettlement } from '../watch/surface/build-surface.ts'
import { idsOf, type Owner, type ScopedRead } from './scoped-read.ts'

async function domainOf({ surfaceTargets }: Stores, { licenseId }: Owner, now: Date): Promise<string> {
  const domain = `${buildId('shop')}.example`
  await surfaceTargets.add({ licenseId, domain, most: 99 }, now)
  await surfaceTargets.note({ licenseId, domain, isProven: true, reason: undefined }, now)
  return domain
}

async function scanOf(stores: Stores, owner: Owner, now: Date): Promise<string> {
  const domain = await domainOf(stores, owner, now)
  const started = await stores.surfaceScans.start(
    buildScan({ licenseId: owner.licenseId, domain, perDay: 99 }),
    now,
  )
  return started.outcome === 'queued' ? started.scan.id : ''
}

async function findingOf(stores: Stores, owner: Owner, now: Date): Promise<string> {
  const id = await scanOf(stores, owner, now)
  const lease = { token: id, leaseSeconds: 60, mostRunning: 99, attempts: 2 }
  let taken = await stores.surfaceScans.take(lease, now)
  while (taken !== undefined && taken.id !== id) taken = await stores.surfaceScans.take(lease, now)
  await stores.surfaceScans.finish({ ...buildSettlement(id, id), seen: [buildFinding()] }, now)
  return taken?.domain ?? ''
}

const target = { of: 'license', add: domainOf } as const
const scan = { of: 'license', add: scanOf } as const
const finding = { of: 'license', add: findingOf } as const

/** The reads of domains that are looked at from outside, of scans and of findings. */
export const surfaceReads: Readonly<Record<string, ScopedRead>> = {
  'surfaceTargets.list': {
    ...target,
    read: async ({ surfaceTargets }, scope) =>
      (await surfaceTargets.list(scope, { limit: 999 })).map(({ domain }) => domain),
  },
  'surfaceScans.get': {
    ...scan,
    read: async ({ surfaceScans }, scope, { id }) => idsOf(await surfaceScans.get(scope, id)),
  },
  'surfaceScans.abort': {
    ...scan,
    read: async ({ surfaceScans }, scope, { id }) => idsOf(await surfaceScans.abort(scope, id, 'asked')),
  },
  'surfaceScans.findings': {
    ...finding,
    read: async ({ surfaceScans }, scope) =>
      (await surfaceScans.findings(scope, { limit: 999 })).map(({ domain }) => domain),
  },
}
