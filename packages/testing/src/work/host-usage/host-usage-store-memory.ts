import { FINE, type HostUsageStore, type UsageHost, type UsageRow } from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { byBytes } from '../../text-order.ts'

const DAY_MS = 86_400_000

const keyOf = ({ licenseId, fingerprint, startsAt, share }: UsageRow): string =>
  JSON.stringify([licenseId, fingerprint, startsAt.getTime(), share])
const byHost = (one: UsageHost, other: UsageHost): number =>
  byBytes(one.licenseId, other.licenseId) || byBytes(one.fingerprint, other.fingerprint)
const inOrder = (one: UsageRow, other: UsageRow): number =>
  byHost(one, other) || Number(one.startsAt) - Number(other.startsAt) || one.share - other.share

/** Removes the figures of a host. */
export function forgetUsage(tables: MemoryTables, host: UsageHost): void {
  const rows = tables.of<UsageRow>('hostUsage')
  for (const row of rows.all()) if (byHost(row, host) === 0) rows.put(keyOf(row), undefined)
}

/** Figures of hosts over time in memory. */
export function memoryHostUsageStore(tables: MemoryTables, run: Run, time: () => Date): HostUsageStore {
  const rows = tables.of<UsageRow>('hostUsage')
  const isKnown = ({ licenseId, fingerprint }: UsageHost) =>
    tables.agents.get(JSON.stringify([licenseId, fingerprint])) !== undefined
  return {
    add: (added) =>
      run(() => {
        for (const row of added)
          if (isKnown(row) && rows.get(keyOf(row)) === undefined)
            rows.put(keyOf(row), { ...row, figures: Buffer.from(row.figures) })
      }),
    read: (host, from) =>
      run(() =>
        rows
          .all()
          .filter((row) => byHost(row, host) === 0 && row.startsAt >= from)
          .sort(inOrder),
      ),
    take: ({ after, hosts, from, to, onlyShared }) =>
      run(() => {
        const page = tables.agents
          .all()
          .filter((host) => after === undefined || byHost(host, after) > 0)
          .sort(byHost)
          .slice(0, hosts)
        const known = new Set(page.map((host) => JSON.stringify([host.licenseId, host.fingerprint])))
        const within = rows
          .all()
          .filter(
            (row) =>
              row.slotSeconds === FINE.slotSeconds &&
              row.startsAt >= from &&
              row.startsAt < to &&
              known.has(JSON.stringify([row.licenseId, row.fingerprint])),
          )
          .sort(inOrder)
        const isShared = (row: UsageRow) =>
          within.some(
            (other) =>
              other.share !== row.share &&
              byHost(other, row) === 0 &&
              Number(other.startsAt) === Number(row.startsAt),
          )
        const taken = within.filter((row) => !onlyShared || isShared(row))
        for (const row of taken) rows.put(keyOf(row), undefined)
        const last = page.at(-1)
        return { rows: taken, last: last && { licenseId: last.licenseId, fingerprint: last.fingerprint } }
      }),
    purge: (days, now = time()) =>
      run(() => {
        const [oldest, newest] = [now.getTime() - days * DAY_MS, now.getTime() + DAY_MS]
        for (const row of rows.all())
          if (Number(row.startsAt) < oldest || Number(row.startsAt) > newest) rows.put(keyOf(row), undefined)
      }),
  }
}
