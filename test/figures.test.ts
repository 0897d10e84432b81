// Commands that try a number of things end with a line for the pipeline when they tried fewer.
import { execFile } from 'node:child_process'
import { describe, expect, it } from '@jest/globals'
import { endingOf } from '../scripts/figures.ts'

const ROOT = new URL('..', import.meta.url).pathname
const NODE = ['--conditions=svc-source', '--disable-warning=ExperimentalWarning']
const PATIENCE_MS = 240_000

interface Ended {
  readonly code: number | string | null | undefined
  readonly said: string
}

function run(script: string, ...args: readonly string[]): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>()
  const env = { ...process.env, NODE_OPTIONS: '' }
  const command = [...NODE, `scripts/${script}.ts`, ...args]
  execFile(process.execPath, command, { cwd: ROOT, env }, (error, out) =>
    resolve({ code: error === null ? 0 : error.code, said: out }),
  )
  return promise
}

describe('a figure that is asked for', () => {
  const figures = { asked: 200, what: 'seeds', isStopped: false }

  it.each([200, 201])('is reached by %i of 200, and nothing is to be said', (done) => {
    for (const isStopped of [false, true])
      expect(endingOf({ ...figures, done, isStopped })).toEqual({ code: 0, line: undefined })
  })

  it.each([0, 199])('fails the run that did %i of 200', (done) => {
    const { code, line } = endingOf({ ...figures, done })
    expect([code, line]).toEqual([1, expect.stringContaining(`${done} of 200 seeds`)])
    expect(line).not.toContain('SHORT:')
  })

  it('does not fail the run that its own --at-most ended, which says how much it is short of', () => {
    const { code, line } = endingOf({ ...figures, done: 150, isStopped: true })
    expect([code, line]).toEqual([0, expect.stringMatching(/^SHORT: 150 of 200 seeds, 50 fewer /)])
  })
})

describe('a run whose time is over', () => {
  it.each([
    ['simulate', 'seeds', ['--seeds', '1000000', '--at-most', '0.01', '--workers', '2']],
    ['conform', 'sequences', ['--runs', '1000000', '--at-most', '0.01']],
  ])(
    'npm run %s says how many %s it is short of, and does not fail: %j',
    async (script, what, args) => {
      const { code, said } = await run(script, ...args)
      const last = said.trimEnd().split('\n').at(-1)
      expect([code, last]).toEqual([0, expect.stringMatching(`^SHORT: \\d+ of ${args[1]} ${what}, `)])
    },
    PATIENCE_MS,
  )
})
