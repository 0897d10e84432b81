import type { Metrics } from '../../platform/metrics/metrics.ts'
import { DRIFT_STATES, type DriftState, driftState } from './applied-security.ts'
import type { SecurityStanding } from './node-security-store.ts'

/** Number of hosts by how far they are. */
export type DriftCounts = Readonly<Record<DriftState, number>>

/** Counts hosts by how far they are. */
export function driftCounts(standings: readonly SecurityStanding[]): DriftCounts {
  const counts = { as_told: 0, waiting: 0, failed: 0, rolled_back: 0 }
  for (const standing of standings) counts[driftState(standing)] += 1
  return counts
}

/** Registers `svc_node_security_hosts{state}`. `sample` is called by each scrape and must answer at once. */
export function registerDriftGauge(metrics: Metrics, sample: () => Promise<DriftCounts | undefined>): void {
  const doc = 'Hosts with a security document by how far they are with it.'
  metrics.gauge('svc_node_security_hosts', doc, { state: DRIFT_STATES }, async (gauge) => {
    const counts = await sample()
    for (const state of DRIFT_STATES) gauge.set({ state }, counts?.[state] ?? 0)
  })
}
