import { featureOf } from '../feature.ts'
import { Signals } from './signals.ts'

/** The signals of the database, for everybody who waits. */
export const signals = featureOf<{ health: { readonly draining: AbortSignal } }>()({
  sql: async () => ({ entities: [], stores: () => ({}) }),
  services: (base, { health }): { signals: Signals } => ({
    signals: new Signals({ ...base, draining: health.draining }),
  }),
  operations: [],
})
