import { optional } from 'superstruct'
import { operationOf } from '../operations/operation.ts'
import { text } from '../validation.ts'
import type { Secrets } from './secrets.ts'

interface Services {
  readonly secrets: Secrets
}

const operation = operationOf<Services>()

const MAX_POSITION_CHARS = 600

/** Operations on secrets at rest. */
export const secretOperations = [
  operation({
    name: 'secrets.status',
    summary: 'count the secrets at rest by the key that seals them',
    permission: 'platform.admin',
    scope: 'platform',
    changes: false,
    input: {},
    run: async ({ secrets }) => ({ secrets: await secrets.count() }),
  }),
  operation({
    name: 'secrets.rotate',
    summary: 'seal all secrets at rest under the first key of SERVICE_DATA_KEYS',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    input: { from: optional(text(1, MAX_POSITION_CHARS)) },
    run: async ({ secrets }, { from }) => ({ ...(await secrets.rotate(from)) }),
  }),
]
