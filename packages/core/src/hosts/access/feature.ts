import { featureOf } from '../../platform/feature.ts'
import { silent } from '../../platform/scheduler/scheduled-task.ts'
import type { Signals } from '../../platform/signals/signals.ts'
import { Access } from './access.ts'
import { AccessMetrics } from './access-metrics.ts'
import { accessOperations } from './access-operations.ts'
import { AccessWaiters } from './access-waiters.ts'
import { StoredLedger } from './relay-ledger.ts'
import { RelayMetrics } from './relay-metrics.ts'
import * as settings from './settings.ts'

/** The services of sessions on hosts, and the parts for a relay in this process. */
export interface AccessServices {
  readonly access: Access
  readonly relayLedger: StoredLedger
  readonly relayMetrics: RelayMetrics
}

/** Sessions of people on hosts. */
export const access = featureOf<{ health: { readonly draining: AbortSignal }; signals: Signals }>()({
  settings,
  sql: () => import('./access-sessions-store-sql.ts'),
  services: (base, { health, signals }): AccessServices => {
    const { storage, clock, metrics } = base
    const waiters: AccessWaiters = new AccessWaiters({
      ...base,
      signals,
      draining: health.draining,
      // Without a relay there are no sessions.
      due: async () => (access.lack === undefined ? storage.accessSessions.due(clock.statementTime()) : []),
    })
    const access = new Access({
      ...base,
      waiters,
      metrics: new AccessMetrics(metrics, () => waiters.size),
    })
    return {
      access,
      relayLedger: new StoredLedger(storage.accessSessions, clock),
      relayMetrics: new RelayMetrics(metrics),
    }
  },
  operations: accessOperations,
  tasks: ({ access }) => [{ name: 'access', run: silent(() => access.sweep()) }],
})
