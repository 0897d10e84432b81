import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { type Job, PLATFORM } from '@svc/core'
import { buildHeartbeat, buildJob, FakeClock, memoryStorage, type TestPlane, testPlane } from '@svc/testing'

const SECRET = 'plain-words-of-nobody'
const ENV = { TOKEN: SECRET, LEVEL: '' }
const NAMES = { TOKEN: '***', LEVEL: '***' }
const SOURCE = { type: 'git', repo_url: 'https://git.example/acme/shop.git', sha: 'a'.repeat(40) }
const PAYLOAD = { app: 'shop', source: SOURCE, env: ENV }

let test: TestPlane
let licenseId: string

beforeEach(() => open())
afterEach(() => test[Symbol.asyncDispose]())

async function open(given: Parameters<typeof testPlane>[0] = {}): Promise<void> {
  test = testPlane(given)
  licenseId = (await test.license()).id
  await test.plane.agents.heartbeat({ ...buildHeartbeat({ licenseId, fingerprint: 'fp-1' }), jobs: [] })
}

const run = async (verb: string, input: object) =>
  (await test.plane.operations.run(`jobs.${verb}`, input, 'cli:ann')) as unknown as { job: Job }
const enqueue = (kind = 'deploy', payload: object = PAYLOAD) =>
  run('enqueue', { kind, license: licenseId, payload })
const stored = async (id: string) => (await test.storage.jobs.get(PLATFORM, id)) as Job
const handed = (job: Job) => {
  const proof = { key: undefined, proof: undefined }
  return test.plane.appVariables.handOut(job, { fingerprint: 'fp-1', claimKey: undefined, proof })
}
async function claimed() {
  const { job } = await test.plane.jobs.claim({ licenseId, fingerprint: 'fp-1', claimKey: undefined })
  if (job === undefined) throw new Error('no job is due')
  return handed(job)
}
async function ended(): Promise<Job> {
  const { job } = await claimed()
  const end = { state: 'succeeded', exitCode: undefined, error: undefined, attempt: undefined } as const
  await test.plane.jobs.report({ jobId: job.id, licenseId, fingerprint: 'fp-1', ...end })
  return job
}

describe('the env of a job', () => {
  it.each(['deploy', 'stop'])('lies sealed, and its host gets it at its place: %s', async (kind) => {
    const { job } = await enqueue(kind)
    const row = await stored(job.id)
    expect(row.payload).toEqual({ ...PAYLOAD, env: NAMES })
    expect(row.sealedEnv).toMatch(/^v1:/)
    expect(JSON.stringify(row)).not.toContain(SECRET)
    expect((await claimed()).job.payload).toEqual(PAYLOAD)
  })

  it('is shown by its names alone, whoever asks and wherever', async () => {
    const made = await enqueue()
    const { id } = made.job
    const views = [made, await run('show', { job: id }), await run('why', { job: id }), await run('list', {})]
    expect(made.job.payload).toEqual({ ...PAYLOAD, env: NAMES })
    await ended()
    views.push(await run('retry', { job: id }), await run('cancel', { job: id }))
    const log = await test.storage.audit.list(100)
    expect(JSON.stringify([views, log])).not.toContain(SECRET)
    expect(JSON.stringify(views)).not.toContain('sealed')
  })

  it('of a job that is done again is sealed for the new one', async () => {
    const first = (await enqueue()).job
    await ended()
    const again = (await run('retry', { job: first.id })).job
    const [one, other] = [await stored(first.id), await stored(again.id)]
    expect(other.sealedEnv).not.toBe(one.sealedEnv)
    expect((await claimed()).job.payload).toEqual(PAYLOAD)
    const moved = await handed({ ...other, sealedEnv: one.sealedEnv })
    expect(moved.env.withheld).toContain('SERVICE_DATA_KEYS')
    expect(moved.job.payload).toEqual({ app: 'shop', source: SOURCE })
  })

  it('from before is read, shown by its names, and sealed when the job is done again', async () => {
    const old = buildJob({ licenseId, kind: 'deploy', payload: PAYLOAD, app: 'shop' })
    await test.storage.jobs.enqueue(old)
    expect((await run('show', { job: old.id })).job.payload).toEqual({ ...PAYLOAD, env: NAMES })
    expect((await ended()).payload).toEqual(PAYLOAD)
    const { job } = await run('retry', { job: old.id })
    expect((await stored(job.id)).payload).toEqual({ ...PAYLOAD, env: NAMES })
    expect((await claimed()).job.payload).toEqual(PAYLOAD)
  })

  it('of another form than names and values is sealed too, and a job without any has nothing', async () => {
    const { job } = await enqueue('stop', { app: 'shop', env: [SECRET] })
    expect((await stored(job.id)).payload).toEqual({ app: 'shop', env: '***' })
    expect((await ended()).payload).toEqual({ app: 'shop', env: [SECRET] })
    const bare = (await enqueue('stop', { app: 'shop' })).job
    expect((await stored(bare.id)).sealedEnv).toBeUndefined()
    expect((await claimed()).job.payload).toEqual({ app: 'shop' })
  })

  it('stays as it is without data keys, and is shown by its names all the same', async () => {
    await test[Symbol.asyncDispose]()
    const clock = new FakeClock()
    const { dataKeys: _, ...storage } = memoryStorage(clock)
    await open({ clock, storage, env: { SERVICE_DATA_KEYS: undefined } })
    const { job } = await enqueue()
    expect(job.payload).toEqual({ ...PAYLOAD, env: NAMES })
    expect(await stored(job.id)).toMatchObject({ payload: PAYLOAD, sealedEnv: undefined })
    expect((await claimed()).job.payload).toEqual(PAYLOAD)
  })

  it('that cannot be opened is withheld, and no job is made of it again', async () => {
    const lost = buildJob({
      licenseId,
      kind: 'deploy',
      payload: PAYLOAD,
      sealedEnv: 'v1:gone:x',
      app: 'shop',
    })
    await test.storage.jobs.enqueue(lost)
    const { job, env } = await claimed()
    expect(env.withheld).toContain('cannot be opened')
    expect(job.payload).toEqual({ app: 'shop', source: SOURCE })
    await test.plane.jobs.report({
      ...{ jobId: lost.id, licenseId, fingerprint: 'fp-1', attempt: undefined },
      ...{ state: 'failed', exitCode: 1, error: undefined },
    })
    await expect(run('retry', { job: lost.id })).rejects.toMatchObject({ code: 'secrets-not-configured' })
  })
})
