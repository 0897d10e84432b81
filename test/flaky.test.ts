import { describe, expect, it } from '@jest/globals'
// @ts-expect-error: plain JavaScript
import { faultsOfList, onceMore } from '../scripts/flaky.mjs'

interface Run {
  readonly code: number
  readonly counts: { readonly passed: number; readonly failed: number; readonly skipped: number }
  readonly failing: readonly { readonly file: string; readonly failed: number }[]
}
const PASSED: Run = { code: 0, counts: { passed: 5, failed: 0, skipped: 0 }, failing: [] }
const FAILED: Run = { code: 1, counts: { passed: 4, failed: 1, skipped: 0 }, failing: [] }
const EMPTY: Run = { code: 0, counts: { passed: 0, failed: 0, skipped: 0 }, failing: [] }

const quiet = () => {}
const failing = (...files: string[]): Run => ({
  code: 1,
  counts: { passed: 90, failed: 2 * files.length, skipped: 3 },
  failing: files.map((file) => ({ file, failed: 2 })),
})

describe('A run whose suites failed', () => {
  it('runs them once more, each alone, and counts those that pass then as passed', async () => {
    const ran: string[][] = []
    const again = async (suites: string[]) => {
      ran.push(suites)
      return suites[0] === 'noise' ? PASSED : FAILED
    }
    expect(await onceMore(failing('noise', 'fault'), again, quiet)).toEqual({
      flaky: ['noise'],
      counts: { passed: 92, failed: 2, skipped: 3 },
    })
    expect(ran).toEqual([['noise'], ['fault']])
  })

  it('forgives nothing that ran no test, and nothing when many failed', async () => {
    expect(await onceMore(failing('a'), async () => EMPTY, quiet)).toMatchObject({ flaky: [] })
    const many = failing('a', 'b', 'c', 'd')
    expect(await onceMore(many, async () => PASSED, quiet)).toEqual({ flaky: [], counts: many.counts })
  })
})

describe('The list of such suites', () => {
  const row = (commit: string) => `| \`test/a.test.ts\` | 17 | ${commit} | a line of log came late |`
  const age = (commit: string) => ({ aaaaaaaa: 10, bbbbbbbb: 11 })[commit]

  it('keeps a row for ten commits', () => {
    expect(faultsOfList(`# Title\n\n| Suite |\n|---|\n${row('aaaaaaaa')}\n`, age)).toEqual([])
    expect(faultsOfList(row('bbbbbbbb'), age)).toEqual([
      'test/a.test.ts: seen 11 commits ago, and still not mended',
    ])
  })

  it('takes no row without a commit that is known', () => {
    expect(faultsOfList(row('cccccccc'), age)).toEqual(['test/a.test.ts: there is no commit cccccccc'])
    expect(faultsOfList('| `test/a.test.ts` | soon |', age)).toHaveLength(1)
  })
})
