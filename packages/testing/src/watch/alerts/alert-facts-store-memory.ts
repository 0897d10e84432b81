import type { Job } from '@svc/core'
import {
  type AlertFactsStore,
  CLONE_SECONDS,
  type Clone,
  GAP_NEWS_SECONDS,
  type HeartbeatWrite,
  type ListedJob,
  type RateLimitHits,
  REFUSAL_SECONDS,
} from '@svc/core/ports'
import type { MemoryAgent, MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { byBytes } from '../../text-order.ts'
import { keyOf } from './memory-alert.ts'

const MINUTE_MS = 60_000
const back = (now: Date, seconds: number): Date => new Date(now.getTime() - seconds * 1000)

/** Facts for alert rules, in memory. */
export function memoryAlertFactsStore(tables: MemoryTables, run: Run, time: () => Date): AlertFactsStore {
  const { refusals, evaluations } = tables.alerting
  return {
    clones: (now = time()) => run(() => clones(tables, back(now, CLONE_SECONDS))),
    failures: (withinSeconds, now = time()) => run(() => failures(tables, back(now, withinSeconds))),
    addRefusals: (licenseId, count, now = time()) =>
      run(() => {
        const minute = new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS)
        const key = keyOf(licenseId, minute.getTime())
        refusals.put(key, { licenseId, minute, count: (refusals.get(key)?.count ?? 0) + count })
      }),
    refusals: (now = time()) =>
      run(() => {
        const counts = new Map<string, number>()
        for (const { licenseId, minute, count } of refusals.all()) {
          if (minute > back(now, REFUSAL_SECONDS)) counts.set(licenseId, (counts.get(licenseId) ?? 0) + count)
        }
        return [...counts].map(([licenseId, count]): RateLimitHits => ({ licenseId, count })).sort(byLicense)
      }),
    evaluated: (gapSeconds, now = time()) =>
      run(() => {
        const old = evaluations.get('only')
        const isGap = old !== undefined && now.getTime() - old.at.getTime() > gapSeconds * 1000
        const gapFrom = isGap ? old.at : old?.gapFrom
        const gapUntil = isGap ? now : old?.gapUntil
        const at = old !== undefined && old.at > now ? old.at : now
        evaluations.put('only', { at, gapFrom, gapUntil })
        const isNews = gapUntil !== undefined && gapUntil > back(now, GAP_NEWS_SECONDS)
        return isNews && gapFrom !== undefined ? { from: gapFrom, until: gapUntil } : undefined
      }),
  }
}

const byLicense = (one: { licenseId: string }, other: { licenseId: string }): number =>
  byBytes(one.licenseId, other.licenseId)

function clones({ alerting }: MemoryTables, since: Date): Clone[] {
  const identities = alerting.identities.all()
  const keys = new Set(
    identities
      .filter(({ returnedAt }) => returnedAt !== undefined && returnedAt > since)
      .map(({ licenseId, fingerprint }) => keyOf(licenseId, fingerprint)),
  )
  const said = (words: readonly string[]) =>
    [...new Set(words)].filter((word) => word !== '').sort((one, other) => byBytes(one, other))
  return [...keys]
    .map((key) => {
      const own = identities.filter((each) => keyOf(each.licenseId, each.fingerprint) === key)
      const times = own.flatMap(({ returnedAt }) => returnedAt?.getTime() ?? [])
      const [licenseId = '', fingerprint = ''] = JSON.parse(key) as string[]
      return {
        licenseId,
        fingerprint,
        hostnames: said(own.map(({ hostname }) => hostname)),
        bootIds: said(own.map(({ bootId }) => bootId)),
        returnedAt: new Date(Math.max(...times)),
      }
    })
    .sort((one, other) => byLicense(one, other) || byBytes(one.fingerprint, other.fingerprint))
}

const isSameLane = (one: Job, other: Job): boolean =>
  one.licenseId === other.licenseId &&
  one.app === other.app &&
  (one.app !== undefined || (one.kind === other.kind && one.target === other.target))

function failures({ jobs }: MemoryTables, since: Date): ListedJob[] {
  const all = jobs.all().map(({ job }) => job)
  const ended = (job: Job) => job.finishedAt?.getTime() ?? Number.NEGATIVE_INFINITY
  const makesGood = (failed: Job) => (job: Job) =>
    isSameLane(job, failed) &&
    ((job.state === 'succeeded' && ended(job) >= ended(failed)) ||
      (job.state === 'failed' &&
        (ended(job) > ended(failed) || (ended(job) === ended(failed) && byBytes(job.id, failed.id) > 0))))
  return all
    .filter((job) => job.state === 'failed' && ended(job) > since.getTime())
    .filter((job) => !all.some(makesGood(job)))
    .sort((one, other) => byBytes(one.id, other.id))
    .map(({ payload: _, sealedEnv: __, successors: ___, ...job }) => job)
}

const IDENTITY_SECONDS = 3600

/** Records the old identity of a host when a heartbeat changes its boot id or its hostname. */
export function noteIdentity({ alerting }: MemoryTables, old: MemoryAgent, next: MemoryAgent): void {
  const { identities } = alerting
  const now = next.lastHeartbeat
  if (old.seq === 0 || now === undefined) return
  if (old.bootId === next.bootId && old.hostname === next.hostname) return
  const { licenseId, fingerprint } = next
  const key = (each: Pick<HeartbeatWrite, 'bootId' | 'hostname'>) =>
    keyOf(licenseId, fingerprint, each.bootId ?? '', each.hostname ?? '')
  for (const each of identities.all()) {
    const last =
      each.returnedAt !== undefined && each.returnedAt > each.leftAt ? each.returnedAt : each.leftAt
    const isOwn = each.licenseId === licenseId && each.fingerprint === fingerprint
    if (isOwn && last < back(now, IDENTITY_SECONDS)) identities.put(key(each), undefined)
  }
  const back10 = identities.get(key(next))
  if (back10 !== undefined && back10.leftAt >= back(now, CLONE_SECONDS)) {
    identities.put(key(next), { ...back10, returnedAt: now })
  }
  const { bootId, hostname } = old
  const left = identities.get(key(old)) ?? { licenseId, fingerprint, bootId, hostname, returnedAt: undefined }
  identities.put(key(old), { ...left, leftAt: now })
}

/** Deletes the recorded identities of a host that is forgotten. */
export function forgetIdentities({ alerting }: MemoryTables, licenseId: string, fingerprint: string): void {
  const { identities } = alerting
  for (const { bootId, hostname, ...each } of identities.all()) {
    if (each.licenseId === licenseId && each.fingerprint === fingerprint) {
      identities.put(keyOf(licenseId, fingerprint, bootId, hostname), undefined)
    }
  }
}
