// The environment of a real agent that gets its key there, as the kernel shows it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { SvcProcess } from '../support/svc-process.ts'

const KEY = 'svclk_of-this-test-0123456789'
const shown = (pid: number) => readFileSync(`/proc/${pid}/environ`, 'latin1')

let cwd: string
let url: string
const keys: (string | undefined)[] = []
const plane = createServer(({ headers }, response) => {
  keys.push(headers.authorization)
  response.writeHead(503).end('{}')
})
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'svc-environ-'))
  mkdirSync(join(cwd, 'handlers'))
  mkdirSync(join(cwd, 'state'), { mode: 0o700 })
  writeFileSync(join(cwd, 'state/agent.json'), JSON.stringify({ fingerprint: 'fp-1' }))
  await new Promise<void>((resolve) => plane.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(plane.address() as AddressInfo).port}`
})
afterAll(async () => {
  plane.closeAllConnections()
  await new Promise((resolve) => plane.close(resolve))
  rmSync(cwd, { recursive: true, force: true })
})

// Entries beside the key, which must stay whole, and one that only begins like it.
const OTHERS = { SVC_FIRST: 'one', SERVICE_LICENSE_KEY_NOT: 'another', SVC_LAST: 'ä = ö' }

test('An agent’s key is nowhere in its environment, from before its first request on; the rest stays', async () => {
  const args = ['agent', 'run', '--url', url, '--state-dir', 'state', '--handlers', 'handlers']
  const env = { SERVICE_LICENSE_KEY: KEY, ...OTHERS }
  await using agent = new SvcProcess(args, { cwd, env })
  while (keys.length === 0) await new Promise((resolve) => plane.once('request', resolve))
  expect(keys[0]).toBe(`Bearer ${KEY}`)
  const entries = shown(agent.pid)
  expect(entries).not.toContain(KEY)
  expect(entries.split('\0')).toEqual(
    expect.arrayContaining(
      Object.entries(OTHERS).map(([name, value]) => `${name}=${Buffer.from(value).toString('latin1')}`),
    ),
  )
  expect(agent.err.text).not.toContain('stays in /proc')
}, 60_000)
