import type { Scope } from '@svc/core'
import {
  FINDING_SEVERITIES,
  isActive,
  NO_FINDINGS,
  type ScanSettlement,
  type SurfaceFinding,
  type SurfaceScan,
  type SurfaceScansStore,
  type SurfaceTarget,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { isWithin } from '../../scoped-rows.ts'
import { byBytes, jsonCopy } from '../../text-order.ts'
import { targetKey } from './surface-targets-store-memory.ts'

/** A scan with its lease. */
export type MemoryScan = SurfaceScan & {
  readonly lease: { readonly token: string; readonly until: Date } | undefined
}
/** A finding, by license, domain and fingerprint. */
export type MemoryFinding = SurfaceFinding

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const shown = ({ lease: _, ...scan }: MemoryScan): SurfaceScan => scan
const later = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000)
const newestFirst = (one: SurfaceScan, other: SurfaceScan): number =>
  Number(other.createdAt) - Number(one.createdAt) || byBytes(other.id, one.id)
const copied = <T extends object>(value: T): T => jsonCopy(value as Readonly<Record<string, unknown>>) as T

/** Scans and findings in memory. */
export function memorySurfaceScansStore(tables: MemoryTables, run: Run, time: () => Date): SurfaceScansStore {
  const scans = tables.of<MemoryScan>('surfaceScans')
  const targets = tables.of<SurfaceTarget>('surfaceTargets')
  const findings = tables.of<MemoryFinding>('surfaceFindings')
  const put = (scan: MemoryScan): SurfaceScan => {
    scans.put(scan.id, scan)
    return shown(scan)
  }
  const within = (scope: Scope, id: string): MemoryScan | undefined => {
    const scan = scans.get(id)
    return scan && isWithin(tables, scope, scan) ? scan : undefined
  }
  const held = (id: string, token: string): MemoryScan | undefined => {
    const scan = scans.get(id)
    return scan?.state === 'running' && scan.lease?.token === token ? scan : undefined
  }
  const waitMs = (rows: readonly SurfaceScan[], nth: number, span: number, now: Date): number => {
    const scan = [...rows].sort(newestFirst)[nth - 1]
    return scan === undefined ? 0 : Number(scan.createdAt) + span - Number(now)
  }
  const isLive = ({ state, lease }: MemoryScan, now: Date) =>
    state === 'running' && lease !== undefined && lease.until > now
  return {
    start: ({ perHour, perDay, ...given }, now = time()) =>
      run(() => {
        const { id, licenseId, domain } = given
        if (targets.get(targetKey(licenseId, domain))?.verifiedAt === undefined)
          return { outcome: 'unproven' as const }
        const all = scans.all()
        const active = all.find(
          (each) => each.licenseId === licenseId && each.domain === domain && isActive(each.state),
        )
        if (active !== undefined) return { outcome: 'running' as const, id: active.id }
        const byDomain = all.filter((each) => each.domain === domain)
        const byLicense = all.filter((each) => each.licenseId === licenseId)
        const wait = Math.max(waitMs(byDomain, perHour, HOUR_MS, now), waitMs(byLicense, perDay, DAY_MS, now))
        if (wait > 0)
          return { outcome: 'limited' as const, retryAfterSeconds: Math.max(1, Math.ceil(wait / 1000)) }
        if (scans.get(id) !== undefined) throw new Error('there is a scan with this id already')
        const none = { result: undefined, error: undefined, startedAt: undefined, finishedAt: undefined }
        const row = { ...given, params: copied(given.params), ...none, createdAt: now, lease: undefined }
        return {
          outcome: 'queued' as const,
          scan: put({ ...row, state: 'queued', progress: 0, attempts: 0 }),
        }
      }),
    get: (scope, id) =>
      run(() => {
        const scan = within(scope, id)
        return scan && shown(scan)
      }),
    last: (licenseId, domain) =>
      run(() => {
        const own = scans.all().filter((each) => each.licenseId === licenseId && each.domain === domain)
        const [newest] = own.sort(newestFirst)
        return newest && shown(newest)
      }),
    take: ({ token, leaseSeconds, mostRunning, attempts }, now = time()) =>
      run(() => {
        const all = scans.all()
        const isLost = (scan: MemoryScan) => scan.state === 'running' && !isLive(scan, now)
        const room = all.filter((each) => isLive(each, now)).length < mostRunning
        const [due] = all
          .filter((each) => each.state === 'queued' || (isLost(each) && each.attempts < attempts))
          .sort((one, other) => newestFirst(other, one))
        for (const scan of all.filter((each) => isLost(each) && each.attempts >= attempts)) {
          const error = 'the process that ran it died, twice'
          scans.put(scan.id, { ...scan, state: 'failed', error, finishedAt: now, lease: undefined })
        }
        if (due === undefined || !room) return undefined
        const lease = { token, until: later(now, leaseSeconds) }
        const { startedAt = now } = due
        return put({ ...due, state: 'running', attempts: due.attempts + 1, progress: 0, startedAt, lease })
      }),
    renew: ({ id, token, leaseSeconds, progress }, now = time()) =>
      run(() => {
        const scan = held(id, token)
        if (scan === undefined) return false
        const lease = { token, until: later(now, leaseSeconds) }
        put({ ...scan, lease, progress: Math.max(scan.progress, progress) })
        return true
      }),
    giveBack: (id, token) =>
      run(() => {
        const scan = held(id, token)
        if (scan === undefined) return false
        const fresh = { attempts: scan.attempts - 1, progress: 0, startedAt: undefined, lease: undefined }
        put({ ...scan, ...fresh, state: 'queued' })
        return true
      }),
    finish: (settlement, now = time()) =>
      run(() => {
        const scan = held(settlement.id, settlement.token)
        if (scan === undefined) return undefined
        const { state, error, result } = settlement
        note(findings, scan, settlement, now)
        const progress = state === 'done' ? 1 : scan.progress
        const end = { state, error, result: copied(result), progress, finishedAt: now, lease: undefined }
        return put({ ...scan, ...end })
      }),
    abort: (scope, id, reason, now = time()) =>
      run(() => {
        const scan = within(scope, id)
        if (scan === undefined || !isActive(scan.state)) return scan && shown(scan)
        return put({ ...scan, state: 'aborted', error: reason, finishedAt: now, lease: undefined })
      }),
    findings: (scope, { domain, status, severity, limit }) =>
      run(() =>
        findings
          .all()
          .filter((each) => isWithin(tables, scope, each))
          .filter((each) => domain === undefined || each.domain === domain)
          .filter((each) => status === undefined || each.status === status)
          .filter((each) => severity === undefined || each.severity === severity)
          .sort(worstFirst)
          .slice(0, limit),
      ),
    counts: (licenseId, domain) =>
      run(() => {
        const counts = { ...NO_FINDINGS }
        for (const each of findings.all())
          if (each.licenseId === licenseId && each.domain === domain && each.status === 'open')
            counts[each.severity] += 1
        return counts
      }),
    purge: (keptDays, now = time()) =>
      run(() => {
        const oldest = now.getTime() - keptDays * DAY_MS
        const gone = scans.all().filter((scan) => isForgettable(scan, scans.all(), oldest))
        for (const { id } of gone) scans.put(id, undefined)
        for (const each of findings.all())
          if (each.status === 'fixed' && each.lastSeenAt.getTime() < oldest)
            findings.put(keyOf(each), undefined)
        return gone.length
      }),
  }
}

const keyOf = ({ licenseId, domain, fingerprint }: MemoryFinding): string =>
  `${targetKey(licenseId, domain)}\n${fingerprint}`

const isForgettable = (scan: MemoryScan, all: readonly MemoryScan[], oldest: number): boolean =>
  scan.finishedAt !== undefined &&
  scan.finishedAt.getTime() < oldest &&
  all.some(
    (each) => each.licenseId === scan.licenseId && each.domain === scan.domain && newestFirst(each, scan) < 0,
  )

function worstFirst(one: MemoryFinding, other: MemoryFinding): number {
  const rank = ({ severity }: MemoryFinding) => FINDING_SEVERITIES.indexOf(severity)
  return (
    rank(one) - rank(other) ||
    Number(one.firstSeenAt) - Number(other.firstSeenAt) ||
    byBytes(one.licenseId, other.licenseId) ||
    byBytes(one.domain, other.domain) ||
    byBytes(one.fingerprint, other.fingerprint)
  )
}

function note(
  findings: { get(key: string): MemoryFinding | undefined; put(key: string, row: MemoryFinding): void },
  { licenseId, domain }: MemoryScan,
  { seen, fixed }: ScanSettlement,
  now: Date,
): void {
  for (const each of seen) {
    const { id, check, severity, host, place, url, evidence, remediation, fingerprint } = each
    const own = { licenseId, domain, fingerprint }
    const shownUrl = url === undefined ? {} : { url }
    const facts = { id, check, severity, host, place, ...shownUrl, evidence, remediation }
    const before = findings.get(keyOf({ ...own } as MemoryFinding))
    const firstSeenAt = before?.status === 'open' ? before.firstSeenAt : now
    const row: MemoryFinding = { ...own, ...facts, status: 'open', firstSeenAt, lastSeenAt: now }
    findings.put(keyOf(row), row)
  }
  for (const fingerprint of fixed) {
    const key = keyOf({ licenseId, domain, fingerprint } as MemoryFinding)
    const row = findings.get(key)
    if (row?.status === 'open') findings.put(key, { ...row, status: 'fixed' })
  }
}
