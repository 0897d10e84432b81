import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { firstFailing } from './first-failing.ts'
import { planted } from './planted/index.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const PATIENCE_MS = 120_000

interface Ended {
  readonly code: number
  readonly stdout: string
}

/** Runs `npm run simulate -- …` as a separate process. */
function script(...args: string[]): Promise<Ended> {
  const node = ['--conditions=svc-source', '--disable-warning=ExperimentalWarning', 'scripts/simulate.ts']
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...node, ...args], { cwd: ROOT }, (error, stdout) => {
      const code = error === null ? 0 : error.code
      if (typeof code === 'number') resolve({ code, stdout })
      else reject(error)
    })
  })
}

describe('npm run simulate', () => {
  it.each([[[]], [['--app']]])(
    'with %j and one seed prints the same digest in two processes',
    async (flags) => {
      const first = await script(...flags, '--seed', '4711')
      expect(first.code).toBe(0)
      expect(first.stdout).toMatch(
        /^seed 4711: digest [0-9a-f]{8}, \d{3,} events, \d{2,} requests, \d+ faults$/m,
      )
      expect(await script(...flags, '--seed', '4711')).toEqual(first)
    },
    PATIENCE_MS,
  )

  it(
    'ends with 1 for a seed that breaks a promise, and prints it with a trace and how to repeat it',
    async () => {
      const name = 'status: the host is not asked for'
      const { seed = 0 } = (await firstFailing({ seams: planted(name).seams })) ?? {}
      const { code, stdout } = await script('--seed', String(seed), '--planted', name)
      expect(code).toBe(1)
      expect(stdout).toContain(`seed ${seed} breaks: I2 late writes change nothing`)
      expect(stdout).toMatch(/^ +\d+\.\d{3} {3}db jobs\.report /m)
      expect(stdout).toContain(`repeat it: npm run simulate -- --planted "${name}" --seed ${seed}`)
    },
    PATIENCE_MS,
  )

  it(
    'ends with 2 for a seed that is no number',
    async () => {
      expect((await script('--seed', 'x')).code).toBe(2)
    },
    PATIENCE_MS,
  )
})
