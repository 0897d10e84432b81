// Every test with a process relies on this rule: a process that prints a secret fails the test that started
// it.
import { tmpdir } from 'node:os'
import { describe, expect, it } from '@jest/globals'
import { type Ran, runSvc } from '../support/svc-process.ts'

const KEY = `svc_${'aB3_-'.repeat(8)}xyz`
const HOOK = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const env = { SERVICE_METRICS_TOKEN: 'metrics-token-of-a-careless-process' }

/** Runs a process that prints `text` on one of its outputs, as if it were the command of `args`. */
function saying(text: string, output: 'stdout' | 'stderr', ...args: readonly string[]): Promise<Ran> {
  const program = ['-e', `process.${output}.write(${JSON.stringify(text)})`, '--']
  return runSvc(args, { cwd: tmpdir(), env, program })
}

describe.each(['stdout', 'stderr'] as const)('on %s', (output) => {
  it.each([
    ['the value of SERVICE_METRICS_TOKEN', env.SERVICE_METRICS_TOKEN],
    ['a license key', KEY],
    ['the secret of a webhook', HOOK],
  ])('a process that says %s fails whoever ended it, who is not told the value', async (what, secret) => {
    const failure = await saying(`a line with ${secret} in it`, output, 'jobs', 'list').catch(String)
    expect(failure).toBe(`Error: svc jobs list has said ${what}`)
  })
})

describe('a command whose job it is to give a secret out', () => {
  it.each([
    ['licenses issue', KEY, HOOK],
    ['alerts webhook-set', HOOK, KEY],
  ])('%s may say it, and no other', async (command, own, other) => {
    const args = command.split(' ')
    expect(await saying(own, 'stdout', ...args)).toMatchObject({ code: 0, out: own })
    expect(await saying(`${own} ${other}`, 'stdout', ...args).catch(String)).toContain('has said')
  })

  it('may say it on stdout only', async () => {
    expect(await saying(KEY, 'stderr', 'licenses', 'issue').catch(String)).toContain('has said a license key')
  })
})
