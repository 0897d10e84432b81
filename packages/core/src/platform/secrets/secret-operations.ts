import { optional } from 'superstruct'
import { listOf, shape, text, whole } from '../../kernel/validation.ts'
import { operationOf } from '../operations/operation.ts'
import type { Secrets } from './secrets.ts'

/** The services that operations on secrets use. */
export interface SecretUses {
  readonly secrets: Secrets
}

const operation = operationOf<SecretUses>()

const MAX_POSITION_CHARS = 600

const count = whole(0, Number.MAX_SAFE_INTEGER)
const counted = shape({ column: text(0, 128), current: count, older: count, unreadable: count, plain: count })

/** Operations on secrets at rest. */
export const secretOperations = [
  operation({
    name: 'secrets.status',
    summary: 'count the secrets at rest by the key that seals them',
    permission: 'platform.admin',
    scope: 'platform',
    changes: false,
    input: {},
    answer: { secrets: listOf(counted, Number.POSITIVE_INFINITY) },
    run: async ({ secrets }) => ({ secrets: await secrets.count() }),
  }),
  operation({
    name: 'secrets.rotate',
    summary: 'seal all secrets at rest under the first key of SERVICE_DATA_KEYS',
    permission: 'platform.admin',
    scope: 'platform',
    changes: true,
    input: { from: optional(text(1, MAX_POSITION_CHARS)) },
    answer: { rotated: count, unreadable: count, next: optional(text(1, MAX_POSITION_CHARS)) },
    run: async ({ secrets }, { from }) => ({ ...(await secrets.rotate(from)) }),
  }),
]
