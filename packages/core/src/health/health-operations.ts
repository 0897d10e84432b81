import { operationOf } from '../operations/operation.ts'
import type { SystemCheck } from './system-check.ts'

interface Services {
  readonly systemCheck: SystemCheck
}

const operation = operationOf<Services>()

/** Operations on the health of the service. */
export const healthOperations = [
  operation({
    name: 'health.check',
    summary: 'look at everything the service stands on',
    permission: 'platform.admin',
    scope: 'platform',
    changes: false,
    input: {},
    run: async ({ systemCheck }) => ({ ...(await systemCheck.run()) }),
  }),
]
