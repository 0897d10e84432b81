import { expect, test } from '@jest/globals'
import { delayRefusal } from '../../src/gates/flood-delay.ts'

const MAX_DELAYED = 1000

test('1,000 requests are kept waiting at most: the next is refused at once, until those have had their answers', async () => {
  const late = Array.from({ length: MAX_DELAYED }, () => delayRefusal().then(() => 'late'))
  const next = delayRefusal().then(() => 'at once')
  expect(await Promise.race([...late, next])).toBe('at once')
  await Promise.all(late)
  const again = delayRefusal().then(() => 'late')
  expect(await Promise.race([again, Promise.resolve('at once')])).toBe('at once')
  expect(await again).toBe('late')
})
