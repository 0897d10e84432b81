import fc from 'fast-check'
import { rarely, steps } from '../../packages/core/test/conformance/world.ts'
import { change, nothing, read } from '../support/feature-entries.ts'
import type { Feature } from '../support/features.ts'

const column = fc.constantFrom('alertWebhooks' as const, 'gitHookSecrets' as const, 'secondFactors' as const)
const rowId = fc.constantFrom('usr_1', 'adm_1', 'ten_1', 'ghk_1/secret', '')
const text = fc.constantFrom('SECRET-1', 'SECRET-2', 'v1:k1:x')

const page = steps(
  'page of secrets',
  fc.record({ column, after: rarely(rowId), limit: fc.constantFrom(1, 2, 10) }),
  (given) => () => (stores) => stores.secrets.page(given.column, given.after, given.limit),
)

const replace = steps(
  'replace a secret',
  fc.record({ column, id: rowId, from: text, to: text }),
  (given) => () => (stores) => stores.secrets.replace(given.column, given),
)

/** Access to secrets at rest. */
export const feature: Feature = {
  operations: {
    'secrets.status': read('platform.admin', nothing),
    'secrets.rotate': change(
      'platform.admin',
      () => ({ from: 'alertWebhooks/' }),
      () => ({ from: 'nothing/1' }),
      'invalid-input',
    ),
  },
  commands: { 'secrets status': () => [], 'secrets rotate': () => [] },
  steps: [
    { weight: 1, arbitrary: page },
    { weight: 1, arbitrary: replace },
  ],
}
