import type { NewEndpoint } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Returns an endpoint of a license of its own, with every event. */
export function buildEndpoint(given: Partial<NewEndpoint> = {}): NewEndpoint {
  const id = buildId('whe')
  return {
    id,
    licenseId: buildId('lic'),
    tenantId: undefined,
    url: `https://hooks.example/${id}`,
    description: '',
    events: ['*'],
    secret: 'v1:first',
    maxAgeSeconds: 345_600,
    ...given,
  }
}
