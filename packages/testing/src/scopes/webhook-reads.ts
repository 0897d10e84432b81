import type { EndpointState } from '@svc/core/ports'
import { buildEndpoint } from '../reach/webhooks/build-endpoint.ts'
import { idsOf, type ScopedRead } from './scoped-read.ts'

const endpoint: Required<Pick<ScopedRead, 'of' | 'add'>> = {
  of: 'license',
  add: async ({ webhooks }, { tenantId, licenseId }, now) => {
    const added = buildEndpoint({ tenantId, licenseId })
    await webhooks.add(added, 9, now)
    return added.id
  },
}
const idOf = (state: EndpointState) => state.endpoint

/** The reads of endpoints. */
export const webhookReads: Readonly<Record<string, ScopedRead>> = {
  'webhooks.list': {
    ...endpoint,
    read: async ({ webhooks }, scope) => idsOf((await webhooks.list(scope, { limit: 99 })).map(idOf)),
  },
  'webhooks.get': {
    ...endpoint,
    read: async ({ webhooks }, scope, { id }) => {
      const found = await webhooks.get(scope, id)
      return idsOf(found && idOf(found))
    },
  },
}
