import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { missesGoal } from '../src/year/measure-year.ts'
import { readYearOptions } from '../src/year/run-year.ts'
import type { YearResult } from '../src/year/year-table.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const FLAGS = ['--conditions=svc-source', '--disable-warning=ExperimentalWarning']
const RUN_MS = 180_000

describe('the goal of a case', () => {
  const times = (medianMs: number, p99Ms: number, chars = 100) => ({ medianMs, p99Ms, chars })

  test.each([
    ['a quarter more', times(12.5, 20), times(10, 20), false],
    ['more than a quarter', times(12.6, 20), times(10, 20), true],
    ['half a millisecond more', times(0.7, 1), times(0.2, 1), false],
    ['4 ms more for the same answer', times(5, 6), times(1, 6), true],
    ['4 ms more for a longer answer', times(5, 6, 200), times(1, 6), false],
    ['6 ms more for a longer answer', times(7, 7, 200), times(1, 7), true],
    ['a p99 that is 6 ms more', times(1, 8), times(1, 2), true],
  ])('%s', (_, year, empty, misses) => {
    expect(missesGoal(year, empty)).toBe(misses)
  })
})

describe('the options', () => {
  test('take a scale as a share', () => {
    expect(readYearOptions(['--scale', '1/4']).scale).toBe(0.25)
    expect(readYearOptions(['--scale', '0.5']).scale).toBe(0.5)
    expect(readYearOptions([]).scale).toBeCloseTo(1 / 30)
  })

  test.each([
    ['--scale', '2'],
    ['--scale', '0'],
    ['--scale', '1/0'],
    ['--scale', 'full'],
    ['--rounds', '0.5'],
    ['--nothing', '1'],
  ])('refuse %s %s', (flag, value) => {
    expect(() => readYearOptions([flag, value])).toThrow()
  })
})

test(
  'a small year is filled once, and the frequent requests, a read and each task are timed beside none',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-bench-year-test-'))
    // PostgreSQL may run as another user.
    chmodSync(folder, 0o755)
    const args = ['year', '--scale', '1/2000', '--rounds', '1', '--only', 'fleet.servers', '--json', '--keep']
    const year = () =>
      promisify(execFile)(process.execPath, [...FLAGS, MAIN, ...args, join(folder, 'kept')], {
        timeout: RUN_MS,
      }).catch((missed: { stdout: string; stderr: string }) => missed)
    try {
      const first = await year()
      expect(first.stderr).toMatch(/filled year_500_[0-9a-f]+ in/)
      const { cases, tasks } = JSON.parse(first.stdout) as YearResult
      expect(cases.map(({ name, error }) => [name, error])).toEqual([
        ...['heartbeat', 'claim that finds nothing', 'claim that finds a job', 'report running']
          .concat('append of a line', 'report succeeded', 'deploy logs', 'activation')
          .concat('GET /healthz', 'GET /metrics', 'fleet.servers')
          .map((name) => [name, undefined]),
        [expect.stringContaining('fleet.servers license='), undefined],
      ])
      for (const { year: after, empty } of cases) {
        expect(after.medianMs).toBeGreaterThan(0)
        expect(empty.medianMs).toBeGreaterThan(0)
      }
      expect(tasks.map(({ name }) => name)).toEqual(expect.arrayContaining(['alerts', 'retention', 'jobs']))
      expect((await year()).stderr).not.toContain('filled')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  2 * RUN_MS,
)
