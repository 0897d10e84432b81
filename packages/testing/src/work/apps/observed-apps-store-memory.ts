import { isTerminal } from '@svc/core'
import {
  type AppDrift,
  isTroubled,
  type ObservedApp,
  type ObservedAppsStore,
  type ObservedEntry,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { isWithin } from '../../scoped-rows.ts'
import { byBytes } from '../../text-order.ts'

/** The state of an app as the fake stores it. */
type Row = ObservedApp & { readonly isTroubled: boolean }
type Host = Pick<ObservedApp, 'licenseId' | 'fingerprint'>

const keyOf = ({ licenseId, fingerprint }: Host, app: string): string =>
  JSON.stringify([licenseId, fingerprint, app])
const seen = ({ isTroubled: _, ...row }: Row): ObservedApp => row
const byWords =
  (...words: readonly ('app' | 'fingerprint' | 'licenseId')[]) =>
  (one: ObservedApp, other: ObservedApp): number =>
    words.map((word) => byBytes(one[word], other[word])).find((order) => order !== 0) ?? 0

/** Removes the states of a host's apps. */
export function forgetApps(tables: MemoryTables, licenseId: string, fingerprint: string): void {
  const rows = tables.of<Row>('observedApps')
  for (const row of rows.all())
    if (row.licenseId === licenseId && row.fingerprint === fingerprint)
      rows.put(keyOf(row, row.app), undefined)
}

/** Returns rows in order, of each license at most `limit`. */
function limited<R extends ObservedApp>(rows: readonly R[], limit: number): readonly R[] {
  const places = new Map<string, number>()
  return rows.toSorted(byWords('licenseId', 'fingerprint', 'app')).filter(({ licenseId }) => {
    const place = (places.get(licenseId) ?? 0) + 1
    places.set(licenseId, place)
    return place <= limit
  })
}

/** Returns the drift of an app, if it runs another commit than was deployed. */
function driftOf({ jobs, deployments }: MemoryTables, row: Row): AppDrift[] {
  const own = jobs.all().filter(({ job }) => job.licenseId === row.licenseId && job.app === row.app)
  if (row.state === 'stopped' || own.some(({ job }) => !isTerminal(job.state))) return []
  const { isTroubled: _, ...observed } = row
  const [last] = own
    .flatMap(({ job }) => {
      const deployment = deployments.get(job.deploymentId ?? '')
      const isGood = job.state === 'succeeded' && job.claimedBy === row.fingerprint
      return isGood && deployment !== undefined ? [{ job, deployment }] : []
    })
    .sort(
      ({ job: one }, { job: other }) =>
        Number(other.finishedAt) - Number(one.finishedAt) || byBytes(other.id, one.id),
    )
  const expected = last?.deployment.source.sha
  if (last === undefined || typeof expected !== 'string' || row.detail.sha === undefined) return []
  return expected === row.detail.sha ? [] : [{ ...observed, expected, deploymentId: last.deployment.id }]
}

/** States of apps in memory. */
export function memoryObservedAppsStore(tables: MemoryTables, run: Run, time: () => Date): ObservedAppsStore {
  const rows = tables.of<Row>('observedApps')
  return {
    note: (host: Host, entries: readonly ObservedEntry[], max: number, now = time()) =>
      run(() => {
        const { licenseId, fingerprint } = host
        if (tables.agents.get(JSON.stringify([licenseId, fingerprint])) === undefined) return
        const isOf = (row: Row) => row.licenseId === host.licenseId && row.fingerprint === host.fingerprint
        const isFull = rows.all().filter(isOf).length >= max
        for (const { app, state, ...detail } of entries) {
          const key = keyOf(host, app)
          const before = rows.get(key)
          if (state === 'gone') rows.put(key, undefined)
          else if (before !== undefined || !isFull) {
            const since = before?.state === state ? before.since : now
            const trouble = isTroubled({ app, state, ...detail })
            rows.put(key, {
              ...{ licenseId, fingerprint, app, state, detail, since, observedAt: now },
              isTroubled: trouble,
            })
          }
        }
      }),
    list: (scope, apps) =>
      run(() =>
        rows
          .all()
          .filter((row) => isWithin(tables, scope, row) && apps.includes(row.app))
          .sort(byWords('app', 'fingerprint', 'licenseId'))
          .map(seen),
      ),
    troubles: (limit) =>
      run(() =>
        limited(
          rows.all().filter((row) => row.isTroubled),
          limit,
        ).map(seen),
      ),
    drifts: (limit, only) =>
      run(() =>
        limited(
          rows
            .all()
            .filter((row) => only === undefined || (row.licenseId === only.licenseId && row.app === only.app))
            .flatMap((row) => driftOf(tables, row)),
          limit,
        ),
      ),
  }
}
