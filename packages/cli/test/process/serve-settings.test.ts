// Settings that only a process shows: its address, its data folder, its output, its end.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { freePort } from '../../../../test/support/free-port.ts'
import { SvcProcess } from '../support/svc-process.ts'

let cwd: string

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'svc-serve-settings-'))
})
afterEach(() => rmSync(cwd, { recursive: true, force: true }))

const status = (url: string): Promise<number | undefined> =>
  fetch(`${url}/healthz`).then(
    ({ status }) => status,
    () => undefined,
  )

async function answers(url: string): Promise<void> {
  for (let tries = 0; tries < 200 && (await status(url)) !== 200; tries += 1) await sleep(100)
  expect(await status(url)).toBe(200)
}

test('The service listens, keeps its data, speaks and ends as its settings say', async () => {
  const port = await freePort()
  const env = {
    PORT: String(port),
    SERVICE_HOST: '127.0.0.2',
    SERVICE_LOG_LEVEL: 'error',
    SERVICE_DATA_DIR: 'kept',
    SERVICE_DRAIN_DELAY_SECONDS: '2',
    SERVICE_CONSOLE: '0',
  }
  await using served = new SvcProcess(['serve'], { cwd, env })
  const url = `http://127.0.0.2:${port}`
  await answers(url)
  expect(await status(`http://127.0.0.1:${port}`)).toBeUndefined()
  expect((await fetch(`${url}/console/sign-in`)).status).toBe(404)
  expect(readdirSync(join(cwd, 'kept'))).not.toEqual([])
  served.kill('SIGTERM')
  // It still answers, so that balancers see in time that it goes.
  await sleep(1000)
  expect(await status(url)).toBe(503)
  expect(await served.end()).toBe(0)
  expect(`${served.out.text}${served.err.text}`).not.toContain('"level":"')
}, 60_000)
