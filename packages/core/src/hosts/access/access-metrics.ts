import type { Metrics } from '../../platform/metrics/metrics.ts'
import { ACCESS_MODES, type AccessMode } from './access-session.ts'

/** The families of sessions as the service hands them out. */
export class AccessMetrics {
  readonly #opened
  readonly #refusedKeys

  /** `waiters` returns the number of hosts that wait for a session. */
  constructor(metrics: Metrics, waiters: () => number) {
    const opened = 'Sessions that operators have opened.'
    this.#opened = metrics.counter('svc_access_sessions_total', opened, { mode: ACCESS_MODES })
    const refused = 'Requests of hosts for sessions that were refused because of their key.'
    this.#refusedKeys = metrics.counter('svc_access_keys_refused_total', refused, {})
    metrics.gauge('svc_access_waiters', 'Hosts that wait for a session now.', {}, (gauge) =>
      gauge.set(waiters()),
    )
  }

  opened(mode: AccessMode): void {
    this.#opened.inc({ mode })
  }

  keyRefused(): void {
    this.#refusedKeys.inc()
  }
}
