import { licenseBearer } from '../gates/license-bearer.ts'
import { operationRoute } from './operation-route.ts'

/** Licensed operations as routes, a line each. Alerts, which need more words, have a file of their own. */
export const licensedRoutes = [
  operationRoute('GET', '/v1/fleet/servers', 'fleet.servers', licenseBearer, {
    summary: "List the license's hosts.",
    agent: true,
    answers: 'The hosts.',
  }),
]
