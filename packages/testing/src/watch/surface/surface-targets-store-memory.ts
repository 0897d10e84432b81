import { isActive, type SurfaceTarget, type SurfaceTargetsStore } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { isWithin } from '../../scoped-rows.ts'
import { byBytes } from '../../text-order.ts'
import type { MemoryFinding, MemoryScan } from './surface-scans-store-memory.ts'

interface MemoryAddress {
  readonly licenseId: string
  readonly address: string
  readonly seenAt: Date
}

/** The key for things of a license's domain. */
export const targetKey = (licenseId: string, domain: string): string => `${licenseId}\n${domain}`

const inOrder = (one: SurfaceTarget, other: SurfaceTarget): number =>
  byBytes(one.domain, other.domain) || byBytes(one.licenseId, other.licenseId)
const before = (now: Date, seconds: number): Date => new Date(now.getTime() - seconds * 1000)

/** Targets of scans in memory. */
export function memorySurfaceTargetsStore(
  tables: MemoryTables,
  run: Run,
  time: () => Date,
): SurfaceTargetsStore {
  const targets = tables.of<SurfaceTarget>('surfaceTargets')
  const addresses = tables.of<MemoryAddress>('surfaceAddresses')
  const scans = tables.of<MemoryScan>('surfaceScans')
  const findings = tables.of<MemoryFinding>('surfaceFindings')
  const put = (target: SurfaceTarget): SurfaceTarget => {
    targets.put(targetKey(target.licenseId, target.domain), target)
    return target
  }
  const own = <T extends { readonly licenseId: string; readonly domain: string }>(
    rows: readonly T[],
    licenseId: string,
    domain: string,
  ) => rows.filter((row) => row.licenseId === licenseId && row.domain === domain)
  return {
    add: ({ licenseId, domain, most }, now = time()) =>
      run(() => {
        const present = targets.get(targetKey(licenseId, domain))
        if (present !== undefined) return { target: present, isNew: false }
        if (targets.all().filter((each) => each.licenseId === licenseId).length >= most) return 'full'
        const none = { verifiedAt: undefined, checkedAt: undefined, reason: undefined }
        return { target: put({ licenseId, domain, ...none, createdAt: now }), isNew: true }
      }),
    get: (licenseId, domain) => run(() => targets.get(targetKey(licenseId, domain))),
    list: (scope, { domain, limit }) =>
      run(() =>
        targets
          .all()
          .filter((each) => isWithin(tables, scope, each))
          .filter((each) => domain === undefined || each.domain === domain)
          .sort(inOrder)
          .slice(0, limit),
      ),
    note: ({ licenseId, domain, isProven, reason }, now = time()) =>
      run(() => {
        const target = targets.get(targetKey(licenseId, domain))
        if (target === undefined) return undefined
        const since = isProven === false ? undefined : (target.verifiedAt ?? (isProven ? now : undefined))
        if (isProven === false) {
          for (const scan of own(scans.all(), licenseId, domain).filter(({ state }) => isActive(state)))
            scans.put(scan.id, {
              ...scan,
              state: 'aborted',
              error: 'domain ownership not proven any more',
              finishedAt: now,
              lease: undefined,
            })
        }
        return put({ ...target, verifiedAt: since, checkedAt: now, reason })
      }),
    takeDue: ({ olderSeconds, limit }, now = time()) =>
      run(() =>
        targets
          .all()
          .filter(
            ({ verifiedAt, checkedAt }) =>
              verifiedAt !== undefined && checkedAt !== undefined && checkedAt <= before(now, olderSeconds),
          )
          .sort((one, other) => Number(one.checkedAt) - Number(other.checkedAt) || inOrder(one, other))
          .slice(0, limit)
          .sort(inOrder)
          .map((target) => put({ ...target, checkedAt: now })),
      ),
    remove: (licenseId, domain) =>
      run(() => {
        const key = targetKey(licenseId, domain)
        if (targets.get(key) === undefined) return false
        for (const { id } of own(scans.all(), licenseId, domain)) scans.put(id, undefined)
        for (const { fingerprint } of own(findings.all(), licenseId, domain))
          findings.put(`${key}\n${fingerprint}`, undefined)
        targets.put(key, undefined)
        return true
      }),
    noteAddress: ({ licenseId, address, most }, now = time()) =>
      run(() => {
        const others = addresses.all().filter((row) => row.licenseId === licenseId && row.address !== address)
        if (others.length >= most) return
        const key = `${licenseId}\n${address}`
        const known = addresses.get(key)
        const seenAt = known !== undefined && known.seenAt > now ? known.seenAt : now
        addresses.put(key, { licenseId, address, seenAt })
      }),
    addresses: (licenseId, withinSeconds, now = time()) =>
      run(() =>
        addresses
          .all()
          .filter((row) => row.licenseId === licenseId && row.seenAt > before(now, withinSeconds))
          .map(({ address }) => address)
          .sort(byBytes),
      ),
    purgeAddresses: (olderSeconds, now = time()) =>
      run(() => {
        const gone = addresses.all().filter(({ seenAt }) => seenAt <= before(now, olderSeconds))
        for (const { licenseId, address } of gone) addresses.put(`${licenseId}\n${address}`, undefined)
        return gone.length
      }),
  }
}
