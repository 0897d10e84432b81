import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { embeddedFolder } from '@svc/testing'
import { jsonHere } from '../support/svc-here.ts'
import { runSvc, SvcProcess } from '../support/svc-process.ts'

let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  await embeddedFolder(join(cwd, '.svc'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

describe('An agent', () => {
  test.each([
    ['no key', ['--url', 'http://127.0.0.1:1'], {}, 2, 'needs a license key'],
    ['no address', [], { SERVICE_LICENSE_KEY: 'k' }, 2, 'needs the address'],
    ['an address that is none', ['--url', 'plane'], { SERVICE_LICENSE_KEY: 'k' }, 2, 'http or https URL'],
    [
      'a number that is none',
      ['--url', 'http://127.0.0.1:1', '--concurrency', 'x'],
      { SERVICE_LICENSE_KEY: 'k' },
      2,
      '--concurrency',
    ],
    ['a key file that is not there', ['--url', 'http://127.0.0.1:1', '--key-file', 'none'], {}, 2, 'ENOENT'],
  ])('With %s does not start', async (_, args, env, exitCode, words) => {
    const { code, err } = await runSvc(['agent', 'run', '--state-dir', 'agent', ...args], { cwd, env })
    expect(err).toContain(words)
    expect(code).toBe(exitCode)
  })
})

interface Issued {
  readonly license: { readonly id: string }
  readonly key: string
}

async function handler(kind: string, script: string): Promise<void> {
  await mkdir(join(cwd, 'handlers'), { recursive: true })
  await writeFile(join(cwd, 'handlers', kind), `#!/bin/sh\n${script}\n`)
  await chmod(join(cwd, 'handlers', kind), 0o755)
}

test('An agent with a served license runs its jobs; signals drain it, then give its job back; a rejected key is code 4', async () => {
  await using server = new SvcProcess(['serve', '--port', '0', '--data-dir', '.svc'], {
    cwd,
    env: { NODE_ENV: 'production', SERVICE_LICENSE_PRIVKEY: Buffer.alloc(32, 5).toString('hex') },
  })
  const url = await server.serving()
  const { license, key } = await jsonHere<Issued>(['licenses', 'issue'], { cwd })
  await handler('prune', 'echo pruned')
  await handler('stop', 'echo began; while :; do sleep 0.05; done')
  const enqueue = async (kind: string, ...more: readonly string[]) => {
    const args = ['jobs', 'enqueue', kind, '--license', license.id, ...more]
    return (await jsonHere<{ job: { id: string } }>(args, { cwd })).job.id
  }
  const run = ['agent', 'run', '--url', url, '--state-dir', 'agent', '--handlers', 'handlers']
  const parts = { cwd, env: { SERVICE_LICENSE_KEY: key } }

  const quick = await enqueue('prune')
  const once = await runSvc([...run, '--once'], parts)
  expect(once.code).toBe(0)
  expect((await runSvc(['jobs', 'logs', quick, '--follow'], { cwd })).out).toMatch(
    /^pruned\njob_\w+ succeeded after/,
  )

  const endless = await enqueue('stop', '--app', 'shop')
  await using agent = new SvcProcess(run, parts)
  await using follower = new SvcProcess(['jobs', 'logs', endless, '--follow'], { cwd })
  await follower.until('out', 'began')
  agent.kill('SIGTERM')
  await agent.until('err', 'once more gives them back')
  expect(await jsonHere(['jobs', 'show', endless], { cwd })).toMatchObject({ job: { state: 'running' } })
  agent.kill('SIGINT')
  expect(await agent.end()).toBe(0)
  expect(await jsonHere(['jobs', 'show', endless], { cwd })).toMatchObject({
    job: { state: 'pending', lost_leases: 0 },
  })
  follower.kill('SIGINT')
  expect(await follower.end()).toBe(130)

  const rejected = await runSvc([...run, '--once'], { cwd, env: { SERVICE_LICENSE_KEY: 'svc_wrong' } })
  expect(rejected.code).toBe(4)
  expect(rejected.err).not.toContain('svc_wrong')
}, 90_000)
