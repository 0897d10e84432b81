import { nothing, read, wrong } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

/** Access to audit. */
export const feature: Feature = {
  operations: {
    'audit.list': read('platform.admin', nothing, ['invalid-input', wrong.text]),
  },
}
