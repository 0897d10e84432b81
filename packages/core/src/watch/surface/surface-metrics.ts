import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { ScanEnd } from './surface-scan.ts'

const ENDS: readonly ScanEnd[] = ['done', 'partial', 'failed', 'aborted']

/** The families of attack surfaces. */
export class SurfaceMetrics {
  readonly #scans

  constructor(metrics: Metrics, running: () => number) {
    this.#scans = metrics.counter('svc_surface_scans_total', 'Scans from outside that ended, by how.', {
      state: ENDS,
    })
    const doc = 'Scans from outside that this process runs.'
    metrics.gauge('svc_surface_scans_running', doc, {}, (gauge) => gauge.set(running()))
  }

  ended(state: ScanEnd): void {
    this.#scans.inc({ state })
  }
}
