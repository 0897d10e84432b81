import { change, nothing, read } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

/** Access to tenants. */
export const feature: Feature = {
  operations: {
    'tenants.add': change(
      'platform.admin',
      () => ({ name: 'third' }),
      () => ({ name: 'own' }),
      'conflict',
    ),
    'tenants.list': read('platform.read', nothing),
  },
}
