import type { Metrics } from '../../platform/metrics/metrics.ts'
import { GIT_PROVIDERS, type GitProvider } from './git-hook.ts'
import { IGNORED, type Ignored } from './push/push-verdict.ts'

/** The family of deliveries. */
export class GitMetrics {
  readonly #deliveries
  readonly #refused

  constructor(metrics: Metrics) {
    this.#deliveries = metrics.counter('svc_git_deliveries_total', 'Refs that git hosts said were pushed.', {
      provider: GIT_PROVIDERS,
      outcome: ['accepted', ...IGNORED],
    })
    this.#refused = metrics.counter(
      'svc_git_deliveries_refused_total',
      'Messages of git hosts without a good credential.',
      {},
    )
  }

  delivered(provider: GitProvider, ignored: Ignored | undefined): void {
    this.#deliveries.inc({ provider, outcome: ignored ?? 'accepted' })
  }

  refused(): void {
    this.#refused.inc()
  }
}
