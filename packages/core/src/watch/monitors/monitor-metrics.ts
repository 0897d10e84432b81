import type { Metrics } from '../../platform/metrics/metrics.ts'
import { MONITOR_STATES, type MonitorState } from './monitor.ts'

/** Registers `svc_monitors{state}`. Each scrape calls `sample`, which must answer without delay. */
export function registerMonitorGauge(
  metrics: Metrics,
  sample: () => Promise<Readonly<Record<MonitorState, number>> | undefined>,
): void {
  metrics.gauge('svc_monitors', 'DNS monitors by state.', { state: MONITOR_STATES }, async (gauge) => {
    const counts = await sample()
    for (const state of MONITOR_STATES) gauge.set({ state }, counts?.[state] ?? 0)
  })
}
