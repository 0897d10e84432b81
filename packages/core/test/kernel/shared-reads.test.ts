import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { SharedReads } from '../../src/kernel/shared-reads.ts'

/** Makes reads that the test ends, listed in the order of their start. */
function scene() {
  const begun: { key: string; end: PromiseWithResolvers<string> }[] = []
  const reads = new SharedReads<string>((key) => {
    const end = Promise.withResolvers<string>()
    begun.push({ key, end })
    return end.promise
  })
  return { begun, reads }
}

describe('reads of one key', () => {
  it('are one at a time, and all who ask meanwhile share the next', async () => {
    const { begun, reads } = scene()
    const first = reads.of('a')
    const others = [reads.of('a'), reads.of('a'), reads.of('a')]
    expect(begun).toHaveLength(1)
    begun[0]?.end.resolve('old')
    expect(await first).toBe('old')
    await turn()
    expect(begun).toHaveLength(2)
    begun[1]?.end.resolve('new')
    expect(await Promise.all(others)).toEqual(['new', 'new', 'new'])
    expect(begun).toHaveLength(2)
  })

  it('are never answered from one that began before they asked', async () => {
    const { begun, reads } = scene()
    const answers = [reads.of('a'), reads.of('a')]
    begun[0]?.end.resolve('1')
    await answers[0]
    await turn()
    answers.push(reads.of('a'), reads.of('a'))
    expect(begun).toHaveLength(2)
    begun[1]?.end.resolve('2')
    await answers[1]
    await turn()
    begun[2]?.end.resolve('3')
    expect(await Promise.all(answers)).toEqual(['1', '2', '3', '3'])
    await turn()
    const again = reads.of('a')
    begun[3]?.end.resolve('4')
    expect(await again).toBe('4')
  })

  it('of another key do not wait for them', async () => {
    const { begun, reads } = scene()
    void reads.of('a')
    const other = reads.of('b')
    expect(begun.map(({ key }) => key)).toEqual(['a', 'b'])
    begun[1]?.end.resolve('of b')
    expect(await other).toBe('of b')
  })

  it('that fail fail those who share them, and the next is read all the same', async () => {
    const { begun, reads } = scene()
    const [first, second] = [reads.of('a'), reads.of('a')]
    begun[0]?.end.reject(new Error('away'))
    await expect(first).rejects.toThrow('away')
    await turn()
    begun[1]?.end.resolve('back')
    expect(await second).toBe('back')
  })
})
