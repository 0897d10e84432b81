// Contracts in other test runners than the one of this project.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'

const root = join(import.meta.dirname, '../../..')
const FLAGS = ['--conditions=svc-source', '--disable-warning=ExperimentalWarning']
const IMPORTS = `import * as runner from 'node:test'
import { expect } from 'expect'
import * as contracts from '@svc/testing/contracts'
import { systemClock } from '@svc/core'
import { memoryStorage } from '@svc/testing'
const open = async () => memoryStorage(systemClock)
`

/** Runs a program whose imports resolve from this checkout. */
function ran(program: string, ...more: readonly string[]) {
  const cache = join(root, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'svc-runner-'))
  try {
    const file = join(folder, 'own.test.mjs')
    writeFileSync(file, IMPORTS + program)
    // The variable of a run around it would make the child report to that one.
    const env = { PATH: process.env.PATH ?? '' }
    const { status, stdout, stderr } = spawnSync(process.execPath, [...FLAGS, ...more, file], {
      cwd: root,
      encoding: 'utf8',
      env,
    })
    return { status, text: stdout + stderr }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('contracts in node:test', () => {
  test('run, each row of a table by its own name, and hold', () => {
    const { status, text } = ran(
      `contracts.useRunner({ ...runner, expect })
contracts.jobsStoreContract('memory', open)
contracts.licensesStoreContract('memory', open)
contracts.secondFactorsStoreContract('memory', open)
`,
      '--test',
      '--test-reporter=tap',
    )
    expect(text).toMatch(/# fail 0/)
    expect(Number(/# pass (\d+)/.exec(text)?.[1])).toBeGreaterThan(150)
    expect(text).toContain('succeeded ends the job, with exit code and error')
    expect(text).toContain('jobs that are held, begun: true')
    expect(status).toBe(0)
  }, 120_000)

  test('notice a storage that breaks one, and only there', () => {
    const { status, text } = ran(
      `contracts.useRunner({ ...runner, expect })
const broken = async () => {
  const storage = memoryStorage(systemClock)
  storage.licenses.get = async () => undefined
  return storage
}
contracts.licensesStoreContract('broken', broken)
`,
      '--test',
      '--test-reporter=tap',
    )
    expect(Number(/# fail (\d+)/.exec(text)?.[1])).toBeGreaterThan(0)
    expect(status).toBe(1)
  }, 120_000)

  test('say at once that nobody named a runner, or named half of one', () => {
    const unnamed = ran("contracts.jobsStoreContract('memory', open)\n")
    expect(unnamed.status).toBe(1)
    expect(unnamed.text).toContain(
      'contracts need a test runner, and there is no global describe, test, expect, beforeEach, beforeAll, afterAll: call useRunner(',
    )
    const half = ran('contracts.useRunner({ ...runner })\n')
    expect(half.status).toBe(1)
    expect(half.text).toContain('the test runner lacks expect')
  }, 120_000)
})
