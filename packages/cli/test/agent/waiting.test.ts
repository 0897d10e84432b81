import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { ofLicense, PLATFORM } from '@svc/core'
import { createApp, type Listening, listen } from '@svc/http'
import { RecordingLog, type TestPlane, testPlane } from '@svc/testing'
import { counted } from '../../../../test/support/counted.ts'
import { type Agent, startAgent } from '../../src/agent/agent.ts'
import { WaitLength } from '../../src/agent/wire/wait-length.ts'

// Longer than a test may take: whatever happens within one, a wait has brought.
const NEVER_MS = 600_000

describe('the length of waits', () => {
  it('is 25 s at first and 50 s after ten whole waits; a cut halves it, down to 5 s', () => {
    const wait = new WaitLength()
    const after = (count: number, what: 'whole' | 'cut') => {
      for (let each = 0; each < count; each += 1) wait[what]()
      return wait.seconds
    }
    expect([after(9, 'whole'), after(1, 'whole'), after(30, 'whole')]).toEqual([25, 50, 50])
    expect([after(1, 'cut'), after(9, 'whole'), after(1, 'whole')]).toEqual([25, 25, 50])
    expect([after(3, 'cut'), after(9, 'cut')]).toEqual([6, 5])
  })
})

describe('an agent whose claims wait', () => {
  let test: TestPlane
  let server: Listening
  let folder: string
  let licenseId: string
  let licenseKey: string
  let agent: Agent

  beforeEach(async () => {
    test = testPlane({ env: { RELAY_MODE: 'external', RELAY_URL: 'wss://127.0.0.1:9' } })
    server = await listen(createApp(test.plane), { host: '127.0.0.1', port: 0 })
    folder = mkdtempSync(join(tmpdir(), 'svc-waiting-'))
    mkdirSync(join(folder, 'handlers'))
    const license = await test.license()
    licenseId = license.id
    licenseKey = license.key
  })
  afterEach(async () => {
    await agent[Symbol.asyncDispose]()
    await server.cut()
    await test[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  const handler = (kind: string, script: string) =>
    writeFileSync(join(folder, 'handlers', kind), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  async function start() {
    // The host is known, so that its first claim may wait.
    const stateDir = join(folder, 'state')
    agent = startAgent({
      ...{ url: server.url, licenseKey, stateDir, handlersDir: join(folder, 'handlers') },
      ...{ hostname: 'web-1', version: '1', log: new RecordingLog(), clock: test.clock, fingerprint: 'fp' },
      timing: { pollMs: 200, heartbeatMs: 100, renewMs: NEVER_MS, farewellMs: 1000, killGraceMs: 500 },
    })
    await waiting()
  }
  const until = async (holds: () => Promise<boolean>) => {
    for (let tries = 0; !(await holds()); tries += 1) {
      if (tries > 500) throw new Error(`it did not happen: ${holds}`)
      await sleep(20)
    }
  }
  const waiters = async () => (await counted(test.plane, 'svc_job_claims_waiting'))[''] ?? 0
  const waiting = () => until(async () => (await waiters()) === 1)
  const enqueue = async () =>
    (await test.plane.jobs.enqueue({ licenseId, kind: 'prune', payload: {} })).job.id
  const state = async (id: string) => (await test.plane.jobs.get(ofLicense(licenseId), id)).state

  it('begins a job when it is made, and the next one when that ends', async () => {
    handler('prune', 'true')
    await start()
    const before = performance.now()
    const ids = [await enqueue(), await enqueue(), await enqueue()]
    await until(async () => (await Promise.all(ids.map(state))).every((each) => each === 'succeeded'))
    expect(performance.now() - before).toBeLessThan(5000)
    await waiting()
  })

  it('hears of a cancel while all its slots are taken', async () => {
    handler('prune', 'exec sleep 600')
    await start()
    const id = await enqueue()
    await until(async () => (await state(id)) === 'running')
    await waiting()
    await test.plane.jobs.cancel(ofLicense(licenseId), {
      jobId: id,
      fingerprint: undefined,
      reason: 'enough',
    })
    await until(async () => (await state(id)) === 'failed')
    await waiting()
  })

  it('takes the next job at once when a slot gets free while it waits for none', async () => {
    handler('prune', `while [ ! -e "${folder}/go" ]; do sleep 0.05; done`)
    await start()
    const first = await enqueue()
    await until(async () => (await state(first)) === 'running')
    await waiting()
    const second = await enqueue()
    await sleep(300)
    expect(await state(second)).toBe('pending')
    writeFileSync(join(folder, 'go'), '')
    await until(async () => (await state(second)) === 'succeeded')
  })

  it('fetches a session that is opened, without a request that waits for sessions', async () => {
    handler('prune', 'true')
    await start()
    // The first request for sessions began before the plane had shown that claims may wait: it is taken.
    const open = () => test.plane.operations.run('ssh.open', { host: 'web-1' }, 'cli:ann')
    await open()
    const live = async () =>
      (await test.plane.access.list(PLATFORM, { active: false, limit: 10 })).map(({ state }) => state)
    await until(async () => !(await live()).includes('pending'))
    await until(async () => ((await counted(test.plane, 'svc_access_waiters'))[''] ?? 0) === 0)
    await waiting()
    await open()
    await until(async () => !(await live()).includes('pending'))
    expect((await counted(test.plane, 'svc_access_waiters'))[''] ?? 0).toBe(0)
  })

  it('gives a deploy the variables of its app, since its claims prove the key that it has shown', async () => {
    handler('deploy', '. "$SVC_ENV_FILE"; echo "got $TOKEN $LEVEL$SVC_ENV_WITHHELD"')
    await start()
    const key = () => test.storage.agents.accessKey(licenseId, 'fp')
    await until(async () => (await key()) !== undefined)
    const repoUrl = 'https://git.example/shop.git'
    const app = await test.plane.apps.create(licenseId, 'shop', { fingerprint: 'fp', repoUrl })
    await test.plane.apps.setVariables(app, { TOKEN: 'a-secret-value' }, true)
    await test.plane.apps.setVariables(app, { LEVEL: 'debug' }, false)
    const { job } = await test.plane.apps.deploy(app, { sha: 'a'.repeat(40) })
    await until(async () => (await state(job.id)) === 'succeeded')
    const lines = await test.plane.jobs.logs(job.id, 0, 10)
    expect(lines.map(({ line }) => line)).toEqual(['got *** debug'])
  })

  it('ends its wait when it drains, at once', async () => {
    handler('prune', 'true')
    await start()
    const before = performance.now()
    await agent.drain()
    expect(performance.now() - before).toBeLessThan(4000)
    expect(await waiters()).toBe(0)
  })

  it('says that it runs no kind of job, and waits all the same, for what is not a job', async () => {
    await start()
    const [host] = await test.plane.agents.list(ofLicense(licenseId))
    expect(host?.kinds).toEqual([])
  })
})
