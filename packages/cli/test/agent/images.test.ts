import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { ofLicense, PLATFORM, silentLog } from '@svc/core'
import { FakeClock } from '@svc/testing'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'
import { startAgent } from '../../src/agent/agent.ts'
import { SHIPPED_HANDLERS } from './deploy-bench.ts'

// One repository for all tests, in their order: each restic takes half a second of CPU.
const isThere = spawnSync('restic', ['version']).error === undefined
if (!isThere) process.stdout.write('restic is not installed: backups and restores are not run\n')
const whole = isThere ? describe : describe.skip

let served: Mounted
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-images-'))
  served = await mounted(undefined, { clock: new FakeClock(new Date()) })
})
afterAll(async () => {
  await served[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const stateOf = (host: string) => join(folder, host)
const operate = (name: string, input: object) => served.plane.operations.run(name, input, 'ann')

/** Lets the agent of a host do one job, or none. */
async function work(host: string): Promise<void> {
  // An address activates ten times a minute.
  served.clock.advance({ seconds: 10 })
  await startAgent({
    url: `http://127.0.0.1:${served.port}`,
    licenseKey: served.key,
    stateDir: stateOf(host),
    handlersDir: SHIPPED_HANDLERS,
    hostname: host,
    version: '1',
    log: silentLog,
    clock: served.clock,
    fingerprint: `fp-${host}`,
    once: true,
    environment: { PATH: process.env.PATH, HOME: folder },
    timing: { renewMs: 1000, logIntervalMs: 50, pollMs: 50 },
  }).done
}

/** Gives a host a job, lets it work, and returns the job with its log. */
async function done(host: string, made: Promise<unknown>) {
  const { job } = (await made) as { job: { id: string } }
  await work(host)
  const { plane } = served
  const lines = (await plane.jobs.logs(job.id, 0, 1000)).map(({ line }) => line)
  return { ...(await plane.jobs.get(PLATFORM, job.id)), lines }
}
const run = (host: string, kind: string, payload: object) =>
  done(host, operate('jobs.enqueue', { kind, license: served.licenseId, host, payload }))
const restore = (input: object, host = 'web-1') => done(host, operate('images.restore', input))

const images = (filter = {}) => served.plane.images.list(PLATFORM, { limit: 100, ...filter })
const newest = async () => {
  const [image] = await images({ state: 'available' })
  if (image === undefined) throw new Error('nothing was captured')
  return image
}
const health = async (host: string) => {
  const all = await served.plane.agents.backups(ofLicense(served.licenseId), host)
  return all[0]
}
const restic = (...words: string[]) => {
  const at = stateOf('web-1')
  const env = {
    ...process.env,
    RESTIC_REPOSITORY: join(at, 'backups'),
    RESTIC_PASSWORD_FILE: join(at, 'backup.password'),
    RESTIC_CACHE_DIR: join(at, 'backup-cache'),
  }
  return execFileSync('restic', words, { env, encoding: 'utf8' })
}

whole('the shipped handlers backup and restore', () => {
  const app = () => join(stateOf('web-1'), 'apps/shop')

  beforeAll(async () => {
    await work('web-1')
    mkdirSync(join(app(), 'releases'), { recursive: true })
    writeFileSync(join(app(), 'releases/a page'), 'one')
  })

  test('a backup is captured in a repository that only its user can open, and stands in the ledger', async () => {
    const job = await run('web-1', 'backup', { app: 'shop' })
    expect(job).toMatchObject({ state: 'succeeded', lines: expect.arrayContaining(['capturing shop']) })
    expect(await images()).toMatchObject([
      {
        fingerprint: 'fp-web-1',
        checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
        repo: expect.stringMatching(/^[0-9a-f]{64}$/),
        engine: 'restic',
        kind: 'snapshot',
        app: 'shop',
        sizeBytes: 3,
        encrypted: true,
        jobId: job.id,
        paths: [app()],
        tags: expect.arrayContaining(['svc', 'app=shop']),
        state: 'available',
      },
    ])
    expect(statSync(join(stateOf('web-1'), 'backup.password')).mode & 0o777).toBe(0o600)
    const now = Math.floor(served.clock.now().getTime() / 1000)
    expect(await health('web-1')).toMatchObject({ last_capture_at: now, success: true })
  }, 60_000)

  test('what the repository lost is pruned with the next backup', async () => {
    const first = await newest()
    writeFileSync(join(app(), 'releases/a page'), 'two')
    restic('forget', '--quiet', '--prune', first.checksum)
    await run('web-1', 'backup', { app: 'shop' })
    expect(await served.plane.images.resolve(PLATFORM, first.id)).toMatchObject({ state: 'pruned' })
    expect(await images({ state: 'available' })).toHaveLength(1)
  }, 60_000)

  test('a restore brings the files back, whole, beside what is there', async () => {
    const { id } = await newest()
    const target = join(folder, 'restored here')
    expect(await restore({ image: id, target, verify: true })).toMatchObject({ state: 'succeeded' })
    expect(readFileSync(join(target, app(), 'releases/a page'), 'utf8')).toBe('two')
    const again = await restore({ image: id, target })
    expect(again).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('holds something already'),
    })
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([])
    expect(await restore({ image: id })).toMatchObject({ state: 'succeeded' })
    expect(existsSync(join(stateOf('web-1'), 'restored', id))).toBe(true)
  }, 60_000)

  test('a drill leaves nothing but its result: on the image, and in the heartbeat', async () => {
    const { id } = await newest()
    const job = await restore({ image: id, drill: true })
    expect(job).toMatchObject({ state: 'succeeded' })
    expect(job.lines.at(-1)).toBe('the drill passed: 1 files came back as they were captured')
    const now = Math.floor(served.clock.now().getTime() / 1000)
    expect((await served.plane.images.resolve(PLATFORM, id)).verifiedAt).toEqual(new Date(now * 1000))
    expect(await health('web-1')).toMatchObject({ last_drill_at: now, drill_pass: true })
  }, 60_000)

  test('a clone is restored by another host, from the same repository', async () => {
    const image = await newest()
    await work('web-2')
    const at = stateOf('web-1')
    const conf = `RESTIC_REPOSITORY=${at}/backups\nRESTIC_PASSWORD_FILE=${at}/backup.password\n`
    writeFileSync(join(stateOf('web-2'), 'backup.conf'), conf, { mode: 0o644 })
    const open = await restore({ image: image.id, host: 'web-2' }, 'web-2')
    expect(open).toMatchObject({ state: 'failed', error: expect.stringContaining('chmod 600') })
    rmSync(join(stateOf('web-2'), 'backup.conf'))
    writeFileSync(join(stateOf('web-2'), 'backup.conf'), conf, { mode: 0o600 })
    expect(await restore({ image: image.id, host: 'web-2' }, 'web-2')).toMatchObject({ state: 'succeeded' })
    const restored = join(stateOf('web-2'), 'restored', image.id, app(), 'releases/a page')
    expect(readFileSync(restored, 'utf8')).toBe('two')
    expect(await images({ fingerprint: 'fp-web-2' })).toEqual([])
  }, 60_000)

  test('a host of another repository says so', async () => {
    const image = await newest()
    await work('web-3')
    expect(await restore({ image: image.id, host: 'web-3' }, 'web-3')).toMatchObject({
      state: 'failed',
      error: expect.stringContaining(`the image is in the repository ${image.repo}`),
    })
  }, 60_000)

  test('an image that is gone cannot be restored, and the ledger learns it', async () => {
    const gone = await newest()
    await run('web-1', 'backup', { app: 'shop' })
    restic('forget', '--quiet', '--prune', gone.checksum)
    expect(await restore({ image: gone.id, drill: true })).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('is not in the repository any more'),
    })
    expect(await served.plane.images.resolve(PLATFORM, gone.id)).toMatchObject({ state: 'pruned' })
    expect(await health('web-1')).toMatchObject({ drill_pass: false })
  }, 60_000)

  test.each([
    [{ checksum: '../../etc' }, 'is not the full id'],
    [{ checksum: 'a'.repeat(63) }, 'is not the full id'],
    [{ checksum: `-${'a'.repeat(63)}` }, 'is not the full id'],
    [{ checksum: 'A'.repeat(64) }, 'is not the full id'],
    [{ checksum: 'a'.repeat(64), engine: 'borg' }, 'not of borg'],
    [{ checksum: 'a'.repeat(64), target: '../x' }, 'leads out'],
    [{ checksum: 'a'.repeat(64), target: '/srv/../etc' }, 'leads out'],
    [{ checksum: 'a'.repeat(64), target: '/' }, 'root of the file system'],
    [{ checksum: 'a'.repeat(64), target: 'a b' }, 'neither an absolute path'],
    [{ checksum: 'a'.repeat(64), target: '.ssh' }, 'neither an absolute path'],
    [{ checksum: 'a'.repeat(64), target: 'x\ny' }, 'control character'],
  ])('a restore of %j is refused by the handler too', (payload, reason) => {
    const facts = Object.entries({ target: 'x', ...payload }).map(([key, value]) => [
      `SVC_${key.toUpperCase()}`,
      value,
    ])
    const env = {
      PATH: process.env.PATH,
      SVC_STATE_DIR: join(folder, 'nobody'),
      ...Object.fromEntries(facts),
    }
    const { status, stderr } = spawnSync(join(SHIPPED_HANDLERS, 'restore'), { env, encoding: 'utf8' })
    expect([status, stderr]).toEqual([1, expect.stringContaining(reason)])
  })

  test('a backup of an application that is not there fails, and the heartbeat says so', async () => {
    const before = await health('web-1')
    expect(await run('web-1', 'backup', { app: 'blog' })).toMatchObject({ state: 'failed' })
    const after = { last_capture_at: before?.last_capture_at, success: false }
    expect(await health('web-1')).toMatchObject(after)
  }, 60_000)

  test('a damaged repository fails its drill', async () => {
    const { id } = await newest()
    const data = join(stateOf('web-1'), 'backups/data')
    for (const name of readdirSync(data, { recursive: true, encoding: 'utf8' })) {
      const path = join(data, name)
      if (!statSync(path).isFile()) continue
      execFileSync('chmod', ['u+w', path])
      writeFileSync(path, Buffer.alloc(statSync(path).size, 7))
    }
    expect(await restore({ image: id, drill: true })).toMatchObject({ state: 'failed' })
    expect(await health('web-1')).toMatchObject({ drill_pass: false })
  }, 60_000)
})
