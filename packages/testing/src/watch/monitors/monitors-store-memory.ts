import {
  CONFIRMATIONS,
  INTERVAL_SECONDS,
  MONITOR_STATES,
  type Monitor,
  type MonitorDefinition,
  type MonitorOwner,
  type MonitorState,
  type MonitorsStore,
  monitorState,
  type Tenant,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { isWithin } from '../../scoped-rows.ts'
import { byBytes } from '../../text-order.ts'
import {
  accepted,
  leased,
  type MemoryMonitor,
  newRow,
  pausedRow,
  redefined,
  settledRow,
} from './memory-monitor.ts'

const byName = (one: Monitor, other: Monitor): number =>
  byBytes(one.name, other.name) || byBytes(one.id, other.id)
const byDue = (one: Monitor, other: Monitor): number =>
  one.nextRunAt.getTime() - other.nextRunAt.getTime() || byBytes(one.id, other.id)

/** The constraints of the table. @throws Error when a definition or an owner breaks them */
function check(
  { intervalSeconds, confirmations }: MonitorDefinition,
  { tenantId, licenseId }: MonitorOwner,
): void {
  const isWithin =
    intervalSeconds >= INTERVAL_SECONDS.min &&
    intervalSeconds <= INTERVAL_SECONDS.max &&
    confirmations >= CONFIRMATIONS.min &&
    confirmations <= CONFIRMATIONS.max
  if (!isWithin) throw new Error('an interval or a number of confirmations out of its bounds')
  if (tenantId !== undefined && licenseId !== undefined) throw new Error('a monitor of two owners')
}

/** Monitors in memory. */
export function memoryMonitorsStore(tables: MemoryTables, run: Run, time: () => Date): MonitorsStore {
  const monitors = tables.of<MemoryMonitor>('monitors')
  const all = (keep: (monitor: Monitor) => boolean) =>
    monitors
      .all()
      .map(({ monitor }) => monitor)
      .filter(keep)
  const change = (id: string, to: (row: MemoryMonitor) => MemoryMonitor | undefined) =>
    run(() => {
      const row = monitors.get(id)
      const changed = row && to(row)
      if (changed !== undefined) monitors.put(id, changed)
      return changed?.monitor
    })
  const mayTake = ({ monitor, lease }: MemoryMonitor, id: string | undefined, now: Date) =>
    monitor.pausedAt === undefined &&
    (id === undefined ? monitor.nextRunAt <= now : monitor.id === id) &&
    (lease === undefined || lease.until <= now)
  return {
    add: (added, now = time()) =>
      run(() => {
        check(added, added)
        const isTaken = ({ name, tenantId, licenseId }: Monitor) =>
          name === added.name && (licenseId ?? tenantId) === (added.licenseId ?? added.tenantId)
        if (all(isTaken).length > 0) return undefined
        if (monitors.get(added.id) !== undefined) throw new Error(`there is a monitor ${added.id} already`)
        if (added.tenantId !== undefined && tables.of<Tenant>('tenants').get(added.tenantId) === undefined)
          throw new Error(`there is no tenant ${added.tenantId}`)
        const row = newRow(added, now)
        monitors.put(added.id, row)
        return row.monitor
      }),
    find: (scope, idOrName) =>
      run(() =>
        all(
          (monitor) =>
            isWithin(tables, scope, monitor) && (monitor.id === idOrName || monitor.name === idOrName),
        ).sort(byName),
      ),
    list: (scope, { tenantId, licenseId }) =>
      run(() =>
        all(
          (monitor) =>
            isWithin(tables, scope, monitor) &&
            (tenantId === undefined || monitor.tenantId === tenantId) &&
            (licenseId === undefined || monitor.licenseId === licenseId),
        ).sort(byName),
      ),
    redefine: (given, now = time()) =>
      change(given.id, (row) => {
        if (row.monitor.revision !== given.revision) return undefined
        check(given.definition, row.monitor)
        return redefined(row, given, now)
      }),
    setPaused: (id, paused, now = time()) => change(id, (row) => pausedRow(row, paused, now)),
    accept: (id, now = time()) =>
      change(id, (row) =>
        row.monitor.mode === 'baseline' && row.monitor.confirmed !== undefined
          ? accepted(row, now)
          : undefined,
      ),
    remove: (id) =>
      run(() => {
        const isThere = monitors.get(id) !== undefined
        monitors.put(id, undefined)
        return isThere
      }),
    takeDue: ({ token, leaseSeconds, limit, id }, now = time()) =>
      run(() => {
        const rows = monitors.all().filter((row) => mayTake(row, id, now))
        const taken = rows.sort((one, other) => byDue(one.monitor, other.monitor)).slice(0, limit)
        for (const row of taken) monitors.put(row.monitor.id, leased(row, token, leaseSeconds, now))
        return taken.map(({ monitor }) => monitor)
      }),
    settle: (settlement, now = time()) =>
      change(settlement.id, (row) =>
        row.lease?.token === settlement.token ? settledRow(row, settlement, now) : undefined,
      ),
    release: (token) =>
      run(() => {
        for (const row of monitors.all()) {
          if (row.lease?.token === token) monitors.put(row.monitor.id, { ...row, lease: undefined })
        }
      }),
    history: (id, limit) => run(() => (monitors.get(id)?.history ?? []).slice(0, limit)),
    counts: () =>
      run(() => {
        const states = all(() => true).map(monitorState)
        const counted = MONITOR_STATES.map((state) => [state, states.filter((each) => each === state).length])
        return Object.fromEntries(counted) as Record<MonitorState, number>
      }),
  }
}
