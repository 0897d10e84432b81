import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { locate, viewLength, withSystemLines } from '../../../src/work/deployments/deployment-log.ts'

const attempts = fc
  .array(fc.integer({ min: 1, max: 5 }), { maxLength: 4 })
  .map((lengths) => lengths.map((lines, index) => ({ attempt: 2 * index + 1, lines })))

const storedOf = (lengths: readonly { attempt: number; lines: number }[]) =>
  lengths.flatMap(({ attempt, lines }) =>
    Array.from({ length: lines }, (_, offset) => ({
      attempt,
      offset,
      ts: offset,
      line: `${attempt}/${offset}`,
    })),
  )

describe('the log view of a deployment', () => {
  it('names an attempt between the lines of two, and not before the first', () => {
    const stored = storedOf([
      { attempt: 1, lines: 2 },
      { attempt: 3, lines: 1 },
    ])
    expect(withSystemLines(stored, undefined).map(({ line }) => line)).toEqual([
      '1/0',
      '1/1',
      '[svc] attempt 3',
      '3/0',
    ])
  })

  it('read in pieces of any size it is the same as read at once', () => {
    fc.assert(
      fc.property(attempts, fc.integer({ min: 1, max: 4 }), (lengths, size) => {
        const stored = storedOf(lengths)
        const whole = withSystemLines(stored, undefined)
        const read = []
        while (read.length < whole.length) {
          const { stored: skip, before } = locate(lengths, read.length)
          const piece = withSystemLines(stored.slice(skip, skip + size), before).slice(0, size)
          expect(piece.length).toBeGreaterThan(0)
          read.push(...piece)
        }
        expect(read).toEqual(whole)
        expect(viewLength(lengths)).toBe(whole.length)
      }),
    )
  })
})
