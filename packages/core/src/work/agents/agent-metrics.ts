import type { Metrics } from '../../platform/metrics/metrics.ts'

/** The families of the registry that count requests; `svc_agents` is sampled with the other gauges. */
export class AgentMetrics {
  readonly #heartbeats
  readonly #refused

  constructor(metrics: Metrics) {
    this.#heartbeats = metrics.counter('svc_heartbeats_total', 'Heartbeats taken.', {})
    const refused = 'Heartbeats of new hosts that were refused because their license has as many as it may.'
    this.#refused = metrics.counter('svc_hosts_refused_total', refused, {})
  }

  heartbeat(): void {
    this.#heartbeats.inc()
  }

  hostRefused(): void {
    this.#refused.inc()
  }
}
