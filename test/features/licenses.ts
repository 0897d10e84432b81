import { change, license, nothing, read, wrong } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

/** Access to licenses. */
export const feature: Feature = {
  operations: {
    'licenses.issue': change('platform.admin', () => ({ label: 'more' }), wrong.tenant),
    'licenses.list': read('platform.read', nothing),
    'licenses.suspend': change('platform.admin', license, wrong.license),
    'licenses.reinstate': change('platform.admin', license, wrong.license),
    'licenses.revoke': change('platform.admin', license, wrong.license),
  },
  requests: {
    'POST /v1/license/activate': {
      asks: 'a license key, which the handler looks at',
      body: () => ({}),
      good: 200,
    },
  },
}
