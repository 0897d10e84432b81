import { featureOf } from '../../platform/feature.ts'
import type { Signals } from '../../platform/signals/signals.ts'
import { LivePages } from './live-pages.ts'

interface LiveNeeds {
  readonly signals: Signals
  readonly health: { readonly draining: AbortSignal }
}

/** Open pages that are told when what they show has changed. */
export const live = featureOf<LiveNeeds>()({
  sql: () => import('./live-store-sql.ts'),
  services: (base, { signals, health }): { livePages: LivePages } => {
    const livePages = new LivePages({ ...base, signals, draining: health.draining })
    const doc = 'Open pages of the console that are told of changes.'
    base.metrics.gauge('svc_console_pages', doc, {}, (gauge) => gauge.set(livePages.size))
    return { livePages }
  },
  operations: [],
})
