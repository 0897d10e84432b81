import type { Metrics } from '../metrics/metrics.ts'
import { MONITOR_STATES, type MonitorState } from './monitor.ts'

/** Makes `svc_monitors{state}`; `sample` is asked at each scrape and must not keep it waiting. */
export function registerMonitorGauge(
  metrics: Metrics,
  sample: () => Promise<Readonly<Record<MonitorState, number>> | undefined>,
): void {
  metrics.gauge('svc_monitors', 'DNS monitors by state.', { state: MONITOR_STATES }, async (gauge) => {
    const counts = await sample()
    for (const state of MONITOR_STATES) gauge.set({ state }, counts?.[state] ?? 0)
  })
}
