import type { Metrics } from '../../platform/metrics/metrics.ts'
import { BROWSER_WORK, type BrowserWork } from './browser-store.ts'

/** How calls end, in the words of metrics. */
const OUTCOMES = ['completed', 'refused', 'failed', 'timeout', 'stopped'] as const

const OUTCOME_OF: Readonly<Record<string, (typeof OUTCOMES)[number]>> = {
  completed: 'completed',
  blocked: 'refused',
  'url-not-allowed': 'refused',
  'page-too-large': 'refused',
  timeout: 'timeout',
  'page-timeout': 'timeout',
  max_steps: 'stopped',
  stuck: 'stopped',
  needs_confirmation: 'stopped',
  cancelled: 'stopped',
}

/** Metric families of the browser worker. */
export class BrowserMetrics {
  readonly #calls
  readonly #bytes

  constructor(metrics: Metrics) {
    this.#calls = metrics.counter(
      'svc_browser_calls_total',
      'Calls of the browser worker, by how they ended.',
      {
        kind: BROWSER_WORK,
        outcome: OUTCOMES,
      },
    )
    this.#bytes = metrics.counter('svc_browser_bytes_total', 'Bytes to and from pages.', {})
  }

  ended(kind: BrowserWork, status: string, bytes: number): void {
    this.#calls.inc({ kind, outcome: OUTCOME_OF[status] ?? 'failed' })
    this.#bytes.inc({}, bytes)
  }
}
