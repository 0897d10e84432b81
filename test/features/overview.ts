import { nothing, read } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

/** Access to the overview. */
export const feature: Feature = {
  operations: {
    'overview.show': read('platform.read', nothing),
  },
}
