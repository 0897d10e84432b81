import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const FLAGS = ['--conditions=svc-source', '--disable-warning=ExperimentalWarning']
const TINY = ['--small', '--rounds', '2', '--seconds', '0.5', '--warm', '0.5', '--no-results', '--json']
const RUN_MS = 180_000

const bench = (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [...FLAGS, MAIN, ...args], { timeout: RUN_MS })

test(
  'the whole way: database, product, bare server, load, and the rows counted at the end',
  async () => {
    const { stdout } = await bench('heartbeat', ...TINY)
    const { rounds, skipped, postgres, machine } = JSON.parse(stdout)
    expect(skipped).toEqual({})
    expect(postgres).toMatch(/^\d+\.\d+/)
    expect(machine.cores).toBeGreaterThan(0)
    const variants = Object.values<Record<string, number>[]>(rounds)
    expect(variants.map((each) => each.length)).toEqual([2, 2, 2])
    for (const [round] of variants) {
      expect(round).toMatchObject({ perSecond: expect.any(Number), p99: expect.any(Number) })
      expect(round?.perSecond).toBeGreaterThan(0)
    }
    // The last one has no database; the others' work meanwhile is counted.
    for (const [round] of variants.slice(0, 2)) expect(round?.statements).toBeGreaterThan(0)
  },
  RUN_MS,
)

test('a scenario that there is not is refused with the way to the list', async () => {
  await expect(bench('nothing')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no scenario nothing; --list names them'),
  })
})
