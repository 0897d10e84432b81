import { change, license, nothing, read, wrong } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

/** Access to licenses. */
export const feature: Feature = {
  operations: {
    'licenses.issue': change('platform.admin', () => ({ label: 'more' }), wrong.tenant),
    'licenses.list': read('platform.read', nothing),
    'licenses.show': read('platform.read', ({ own }) => ({ license: own.licenseId }), [
      'not-found',
      wrong.license,
    ]),
    'licenses.rename': change(
      'platform.admin',
      (world) => ({ ...license(world), label: 'spare' }),
      () => ({ ...wrong.license(), label: 'spare' }),
    ),
    'licenses.edit': change(
      'platform.admin',
      (world) => ({ ...license(world), contact: 'ann@svc.example' }),
      wrong.license,
    ),
    'licenses.extend': change(
      'platform.admin',
      (world) => ({ ...license(world), expires: '2100-01-01' }),
      wrong.license,
    ),
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
