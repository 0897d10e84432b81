import { expect, test } from '@jest/globals'
import { text, whole } from '../../../src/kernel/validation.ts'
import { operationOf } from '../../../src/platform/operations/operation.ts'

const operation = operationOf<object>()
const parts = {
  name: 'things.count',
  summary: 'count things',
  permission: 'platform.read',
  scope: 'platform',
  changes: false,
  input: {},
} as const

test('An operation answers by the shape that it declares', () => {
  const counts = operation({ ...parts, answer: { count: whole(0, 9) }, run: async () => ({ count: 1 }) })
  expect(counts.answer.validate({ count: 1 })[0]).toBeUndefined()
  expect(counts.answer.validate({ count: 1, more: 2 })[0]?.path).toEqual(['more'])
})

// The check of types fails where one of them compiles.
test('An operation without a shape of its answer, or with another answer, does not compile', () => {
  const three = [
    // @ts-expect-error There is no shape.
    operation({ ...parts, run: async () => ({ count: 1 }) }),
    // @ts-expect-error A field is missing.
    operation({ ...parts, answer: { count: whole(0, 9) }, run: async () => ({}) }),
    // @ts-expect-error A field has another type.
    operation({ ...parts, answer: { count: text(0, 9) }, run: async () => ({ count: 1 }) }),
  ]
  expect(three).toHaveLength(3)
})
