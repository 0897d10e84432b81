import type { Metrics } from '../metrics/metrics.ts'

/** The families of the registry that count requests; `svc_agents` is sampled with the other gauges. */
export class AgentMetrics {
  readonly #heartbeats

  constructor(metrics: Metrics) {
    this.#heartbeats = metrics.counter('svc_heartbeats_total', 'Heartbeats taken.', {})
  }

  heartbeat(): void {
    this.#heartbeats.inc()
  }
}
