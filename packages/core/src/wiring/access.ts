import { Access } from '../access/access.ts'
import { AccessMetrics } from '../access/access-metrics.ts'
import { AccessWaiters } from '../access/access-waiters.ts'
import { StoredLedger } from '../access/relay-ledger.ts'
import { RelayMetrics } from '../access/relay-metrics.ts'
import type { Health } from '../health/health.ts'
import type { Base } from './base.ts'

/** Wires sessions on hosts, and what a relay in this process works with. */
export function accessOf(base: Base, health: Health) {
  const { storage, clock, metrics } = base
  const due = () => storage.accessSessions.due(clock.statementTime())
  const waiters = new AccessWaiters({ ...base, due, draining: health.draining })
  return {
    access: new Access({ ...base, waiters, metrics: new AccessMetrics(metrics, () => waiters.size) }),
    relayLedger: new StoredLedger(storage.accessSessions, clock),
    relayMetrics: new RelayMetrics(metrics),
  }
}
