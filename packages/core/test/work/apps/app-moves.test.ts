// Moves of apps: steps, of which each is a job, and the way back from each.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { type Job, PLATFORM } from '@svc/core'
import { buildHeartbeat, type TestPlane, testPlane } from '@svc/testing'

const REPO = 'https://git.example/acme/shop.git'
const SHA = (digit: string) => digit.repeat(40)
const HOSTS = ['fp-1', 'fp-2']

let test: TestPlane
let licenseId: string

beforeEach(async () => {
  test = testPlane({ env: { SERVICE_PUBLIC_URL: 'https://svc.example' } })
  licenseId = (await test.license()).id
  for (const fingerprint of HOSTS)
    await test.plane.agents.heartbeat({
      ...buildHeartbeat({ licenseId, fingerprint, hostname: fingerprint }),
      jobs: [],
    })
  const input = { name: 'shop', license: licenseId, host: 'fp-1', repo_url: REPO }
  await test.plane.operations.run('apps.create', input, 'cli:ann')
  await run('deploy', { sha: SHA('a') })
  await ends('fp-1')
})
afterEach(() => test[Symbol.asyncDispose]())

interface Answer {
  readonly app: { readonly host: string; readonly move?: object }
  readonly state: string
  readonly upload?: string
  readonly job?: Pick<Job, 'id' | 'kind' | 'target' | 'payload'>
  readonly steps: { readonly step: string; readonly host: string; readonly state: string }[]
  readonly domains: { readonly host: string; readonly state: string }[]
}
const run = async (verb: string, input: object = {}) =>
  (await test.plane.operations.run(`apps.${verb}`, { app: 'shop', ...input }, 'cli:ann')) as unknown as Answer

/** Hands the job that is due to a host and ends it. */
async function ends(fingerprint: string, state: 'succeeded' | 'failed' = 'succeeded'): Promise<Job> {
  const { job } = await test.plane.jobs.claim({ licenseId, fingerprint, claimKey: undefined })
  if (job === undefined) throw new Error(`no job is due on ${fingerprint}`)
  const end = { state, exitCode: undefined, error: undefined, attempt: undefined }
  await test.plane.jobs.report({ jobId: job.id, licenseId, fingerprint, ...end })
  test.clock.advance({ seconds: 1 })
  return job
}

/** Calls until nothing is left to do; returns the jobs that hosts have done, and the last state. */
async function through(input: object): Promise<string[]> {
  const done: string[] = []
  for (let calls = 0; calls < 20; calls += 1) {
    const { job, state } = await run('move', input)
    if (job === undefined) return [...done, state]
    const ended = await ends(job.target)
    expect(ended.id).toBe(job.id)
    const { domain } = ended.payload
    done.push([ended.kind, domain, ended.target].filter((word) => typeof word === 'string').join(' '))
  }
  throw new Error('the move has no end')
}
const hostNow = async () => (await run('show')).app.host
const TO = { to: 'fp-2' }

describe('the move of an app', () => {
  it('starts it on the new host, leads its domains there, and stops it on the old one, which keeps it', async () => {
    await run('domains-add', { domain: 'shop.example.com', tls: 'internal' })
    await ends('fp-1')
    const plan = await run('move', { ...TO, dry_run: true })
    expect([plan.state, plan.steps]).toEqual([
      'planned',
      [
        ['deploy', 'fp-2'],
        ['expose', 'fp-2'],
        ['switch', 'fp-2'],
        ['stop', 'fp-1'],
      ].map(([step, host]) => expect.objectContaining({ step, host, state: 'next' })),
    ])
    expect((await run('show')).app).not.toHaveProperty('move')
    const first = await run('move', TO)
    const source = { type: 'git', repo_url: REPO, sha: SHA('a') }
    expect(first.job?.payload).toEqual({ app: 'shop', source, move: { data: false } })
    expect(await hostNow()).toBe('fp-1')
    expect(await through(TO)).toEqual(['redeploy fp-2', 'expose shop.example.com fp-2', 'stop fp-1', 'moved'])
    expect((await run('show')).app).toMatchObject({ host: 'fp-2', move: { under_way: false, from: 'fp-1' } })
    expect((await run('domains-list')).domains).toMatchObject([
      { host: 'fp-2', state: 'live', tls: 'internal' },
    ])
    expect(await through(TO)).toEqual(['moved'])
    expect((await run('deploy', { sha: SHA('b') })).job?.target).toBe('fp-2')
    await ends('fp-2')
    expect(await through({ finish: true })).toEqual([
      'unexpose shop.example.com fp-1',
      'remove fp-1',
      'finished',
    ])
    expect((await run('show')).app).not.toHaveProperty('move')
    expect((await run('domains-list')).domains).toHaveLength(1)
    await expect(run('move', { undo: true })).rejects.toMatchObject({ code: 'conflict' })
  })

  it('stands still at a step that fails, does it again, and waits for one that goes on', async () => {
    const first = await run('move', TO)
    expect((await run('move', TO)).job?.id).toBe(first.job?.id)
    await ends('fp-2', 'failed')
    expect(await hostNow()).toBe('fp-1')
    const again = await run('move', TO)
    expect(again.job).toMatchObject({ kind: 'redeploy', target: 'fp-2' })
    expect(again.job?.id).not.toBe(first.job?.id)
    expect(await through(TO)).toEqual(['redeploy fp-2', 'stop fp-1', 'moved'])
  })

  it('has each step done once, also when two people give the order at once', async () => {
    const both = await Promise.allSettled([run('move', TO), run('move', TO)])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await test.plane.jobs.list(PLATFORM, { kind: 'redeploy', limit: 9 })).toHaveLength(1)
    expect(await through(TO)).toEqual(['redeploy fp-2', 'stop fp-1', 'moved'])
  })

  it.each([0, 1, 2, 3])('is undone after %i of its steps, and leaves the app where it was', async (steps) => {
    await run('domains-add', { domain: 'shop.example.com' })
    await ends('fp-1')
    await run('move', TO)
    for (let done = 0; done < steps; done += 1) {
      const { job } = await run('move', TO)
      await ends(job?.target ?? '')
    }
    if (steps === 0) {
      await expect(run('move', { undo: true })).rejects.toMatchObject({
        message: expect.stringContaining('wait, or cancel it'),
      })
      await ends('fp-2', 'failed')
    }
    const undone = await through({ undo: true })
    expect(undone[0]).toBe('redeploy fp-1')
    expect(undone.slice(-2)).toEqual(['stop fp-2', 'undone'])
    expect(undone.includes('unexpose shop.example.com fp-2')).toBe(steps > 1)
    const { app } = await run('show')
    expect([app.host, app.move]).toEqual(['fp-1', undefined])
    expect((await run('domains-list')).domains).toMatchObject([{ host: 'fp-1', state: 'live' }])
    expect((await through(TO)).at(-1)).toBe('moved')
  })

  it('keeps other orders away while it is under way, and sends pushes to the new host', async () => {
    await run('move', TO)
    for (const [verb, input] of [
      ['deploy', { sha: SHA('b') }],
      ['stop', {}],
      ['scale', { processes: [{ process: 'web', count: 2 }] }],
      ['set', { host: 'fp-1' }],
      ['domains-add', { domain: 'a.example.com' }],
      ['databases-create', { name: 'main' }],
      ['remove', {}],
    ] as const)
      await expect(run(verb, input)).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('is being moved: svc apps move shop'),
      })
    const { hook } = await test.plane.gitHooks.set(licenseId, 'shop', { fingerprint: 'fp-1', repoUrl: REPO })
    const push = { headers: {}, bodyDigest: 'd'.repeat(64), address: '192.0.2.1' }
    const document = { ref: 'refs/heads/main', sha: SHA('c'), before: '', delivery_id: 'one' }
    await test.plane.gitPushes.receive({ licenseId, hook }, { ...push, document })
    const kinds = [(await ends('fp-2')).payload.source, (await ends('fp-2')).payload.source]
    expect(kinds).toMatchObject([{ sha: SHA('a') }, { sha: SHA('c') }])
    expect(await through(TO)).toEqual(['stop fp-1', 'moved'])
  })

  it('is refused in words where it cannot be, and says which commit the new host has to be sent', async () => {
    const refused = async (input: object, words: string) =>
      expect(run('move', input)).rejects.toMatchObject({ message: expect.stringContaining(words) })
    await refused({ to: 'fp-1' }, 'is on that host')
    await refused({ ...TO, data: true }, 'no repository in common')
    await refused({ undo: true }, 'has no move to undo')
    await refused({ finish: true }, 'has no move to finish')
    await expect(run('move', { finish: true, undo: true })).rejects.toMatchObject({ code: 'invalid-input' })
    await run('databases-create', { name: 'main' })
    await refused(TO, 'the database main, which does not move with it')
    await ends('fp-1')
    await run('databases-unlink', { name: 'main' })
    await ends('fp-1')
    await run('set', { hosts: HOSTS })
    await refused(TO, 'has 2 hosts, and a move is on one')
    await run('set', { host: 'fp-1' })
    await run('stop')
    await ends('fp-1')
    await refused(TO, 'shop is stopped')
    await run('deploy', { sha: SHA('e'), uploaded: true })
    await ends('fp-1')
    expect((await run('move', { ...TO, dry_run: true })).upload).toBe(SHA('e'))
    await run('move', TO)
    await refused({ to: 'fp-1' }, 'is on another move')
  })

  it('with its data stops it first, and brings the image of that moment to the new host', async () => {
    const capture = (fingerprint: string, checksum: string, jobId?: string) =>
      test.plane.images.register(licenseId, {
        ...{ fingerprint, repo: 'r1', checksum: checksum.repeat(64), engine: 'restic', kind: 'snapshot' },
        ...{ app: 'shop', captured_at: Math.floor(test.clock.now().getTime() / 1000), job_id: jobId },
      } as never)
    for (const host of HOSTS) await capture(host, host === 'fp-1' ? '1' : '2')
    const input = { ...TO, data: true }
    expect((await run('move', input)).job).toMatchObject({ kind: 'stop', target: 'fp-1' })
    await ends('fp-1')
    const backup = await run('move', input)
    expect(backup.job).toMatchObject({ kind: 'backup', target: 'fp-1', payload: { app: 'shop' } })
    const { job } = await test.plane.jobs.claim({ licenseId, fingerprint: 'fp-1', claimKey: undefined })
    await capture('fp-1', '3', job?.id)
    const end = { state: 'succeeded', exitCode: undefined, error: undefined, attempt: undefined } as const
    await test.plane.jobs.report({ jobId: job?.id ?? '', licenseId, fingerprint: 'fp-1', ...end })
    test.clock.advance({ seconds: 1 })
    // A later image is none of this move.
    await capture('fp-1', '4')
    expect((await run('move', input)).job?.payload).toMatchObject({ move: { data: true } })
    await ends('fp-2')
    expect((await run('move', input)).job).toMatchObject({
      ...{ kind: 'restore', target: 'fp-2' },
      payload: { checksum: '3'.repeat(64), data: true, app: 'shop', repo: 'r1' },
    })
    expect(await hostNow()).toBe('fp-1')
    await ends('fp-2')
    expect(await through(input)).toEqual(['moved'])
    expect(await hostNow()).toBe('fp-2')
    expect(await through({ undo: true })).toEqual(['redeploy fp-1', 'stop fp-2', 'undone'])
    expect((await test.plane.jobs.list(PLATFORM, { kind: 'remove', limit: 9 })).length).toBe(0)
  })
})
