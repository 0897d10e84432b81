import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import type { App } from '@svc/core/ports'
import { buildHeartbeat, type TestPlane, testPlane } from '@svc/testing'
import { compare } from 'bcryptjs'

const REPO = 'https://git.example/acme/shop.git'
const MOST = 50

let test: TestPlane
let licenseId: string
let app: App

beforeEach(async () => {
  test = testPlane({
    env: {
      SERVICE_PUBLIC_URL: 'https://svc.example/',
      RELAY_MODE: 'external',
      RELAY_URL: 'wss://relay.svc.example,wss://two.svc.example',
    },
  })
  licenseId = (await test.license()).id
  for (const fingerprint of ['fp-1', 'fp-2'])
    await test.plane.agents.heartbeat({
      ...buildHeartbeat({ licenseId, fingerprint, hostname: fingerprint }),
      jobs: [],
    })
  app = await test.plane.apps.create(licenseId, 'shop', { fingerprint: 'fp-1', repoUrl: REPO })
})
afterEach(() => test[Symbol.asyncDispose]())

interface Answer {
  readonly domain: string
  readonly job: {
    readonly id: string
    readonly kind: string
    readonly target: string
    readonly payload: object
  }
  readonly note?: string
  readonly domains: readonly object[]
}
const run = async (verb: string, input: object = {}) =>
  (await test.plane.operations.run(
    `apps.domains-${verb}`,
    { app: 'shop', ...input },
    'cli:ann',
  )) as unknown as Answer
const add = (domain: string, input: object = {}) => run('add', { domain, ...input })
const remove = (domain: string) => run('remove', { domain })
const listed = async () => (await run('list')).domains

/** Hands out the job that is due and ends it. */
async function ends(error?: string, fingerprint = 'fp-1') {
  const { job } = await test.plane.jobs.claim({ licenseId, fingerprint, claimKey: undefined })
  if (job === undefined) throw new Error('no job is due')
  const state = error === undefined ? 'succeeded' : 'failed'
  const end = { state, exitCode: undefined, error, attempt: undefined } as const
  await test.plane.jobs.report({ jobId: job.id, licenseId, fingerprint, ...end })
}

describe('a domain of an app', () => {
  it('is kept with its options, and its job goes to the host of the app', async () => {
    const how = { tls: 'internal', redirect_to: 'WWW.Bücher.example', allow: ['10.0.0.0/8'], hsts: true }
    const { domain, job } = await add('Shop.Bücher.example.', { ...how, force: true })
    expect(domain).toBe('shop.xn--bcher-kva.example')
    const kept = { ...how, redirect_to: 'www.xn--bcher-kva.example' }
    expect(job).toMatchObject({
      ...{ kind: 'expose', target: 'fp-1' },
      payload: { app: 'shop', domain, port: 80, ...kept, force: true },
    })
    expect(await listed()).toMatchObject([
      { domain, state: 'pending', ...kept, host: 'fp-1', job_id: job.id, by: 'cli:ann' },
    ])
  })

  it('is pending, then live, or failed with the reason of its host, until it is added again', async () => {
    await add('a.example.com')
    await ends('it leads elsewhere')
    expect(await listed()).toMatchObject([{ state: 'failed', reason: 'it leads elsewhere' }])
    expect((await add('a.example.com')).note).toContain('is there already')
    await ends()
    const [live] = await listed()
    expect(live).toMatchObject({ state: 'live' })
    expect(live).not.toHaveProperty('reason')
    expect((await add('a.example.com', { tls: 'off', max_body: '10M' })).note).toBeUndefined()
    expect(await listed()).toMatchObject([{ state: 'pending', tls: 'off', max_body: '10M' }])
  })

  it('follows the repeat of its newest job, and of no earlier one', async () => {
    const first = (await add('a.example.com')).job.id
    await ends('it leads elsewhere')
    const second = (await test.plane.jobs.retry(PLATFORM, first)).job.id
    expect(await listed()).toMatchObject([{ state: 'pending', job_id: second }])
    await ends()
    expect(await listed()).toMatchObject([{ state: 'live', job_id: second }])
    await test.plane.jobs.retry(PLATFORM, first)
    expect(await listed()).toMatchObject([{ state: 'live', job_id: second }])
    await ends()
    await remove('a.example.com')
    await ends('Caddy is away')
    const [failed] = await listed()
    await test.plane.jobs.retry(PLATFORM, (failed as { job_id: string }).job_id)
    expect(await listed()).toMatchObject([{ state: 'removing' }])
    await ends()
    expect(await listed()).toEqual([])
  })

  it('names the processes that answer it, and is sent on or answered, not both', async () => {
    const paths = [
      { path: '/api', process: 'api' },
      { path: '/hooks', process: 'hooks' },
    ]
    const { job } = await add('a.example.com', { process: 'site', paths })
    expect(job.payload).toMatchObject({ process: 'site', paths: { '/api': 'api', '/hooks': 'hooks' } })
    expect(await listed()).toMatchObject([{ process: 'site', paths }])
    expect((await add('a.example.com', { process: 'site', paths })).note).toContain('is there already')
    expect((await add('a.example.com')).note).toBeUndefined()
    expect((await listed())[0]).not.toHaveProperty('paths')
    for (const input of [{ process: 'site' }, { paths }])
      await expect(add('b.example.com', { redirect_to: 'a.example.com', ...input })).rejects.toMatchObject({
        data: { details: ['redirect_to: expected without a process or paths'] },
      })
  })

  it('asks visitors for a name and a password, of which a digest alone is kept and handed on', async () => {
    const login = { user: 'ann', password: 'a word' }
    const { job } = await add('a.example.com', login)
    const { basic_auth: digest } = job.payload as { basic_auth: { user: string; hash: string } }
    expect(digest).toEqual({ user: 'ann', hash: expect.stringMatching(/^\$2[aby]\$10\$.{53}$/) })
    expect([await compare('a word', digest.hash), await compare('a wor', digest.hash)]).toEqual([true, false])
    expect(JSON.stringify(await listed())).toContain('"user":"ann"')
    expect(JSON.stringify([await listed(), job])).not.toContain('a word')
    expect(JSON.stringify(await listed())).not.toContain('$2')
    expect((await add('a.example.com', login)).note).toContain('is there already')
    expect((await add('a.example.com', { ...login, password: 'other' })).note).toBeUndefined()
    expect((await add('a.example.com')).job.payload).not.toHaveProperty('basic_auth')
    for (const [input, why] of [
      [{ user: 'ann' }, 'user: expected together with a password'],
      [{ password: 'a word' }, 'user: expected together with a password'],
      [{ ...login, user: 'a b' }, 'user: expected a plain name'],
      [{ ...login, password: '\u20ac'.repeat(25) }, 'password: expected at most 72 bytes'],
    ] as const)
      await expect(add('b.example.com', input)).rejects.toMatchObject({ data: { details: [why] } })
  })

  it('is being removed until its host has done so, and then gone', async () => {
    await add('a.example.com')
    await ends()
    expect((await remove('A.example.com')).job).toMatchObject({
      ...{ kind: 'unexpose', target: 'fp-1' },
      payload: { app: 'shop', domain: 'a.example.com' },
    })
    expect(await listed()).toMatchObject([{ state: 'removing' }])
    await ends('Caddy is away')
    expect(await listed()).toMatchObject([
      { state: 'failed', reason: 'it was not taken away: Caddy is away' },
    ])
    expect((await remove('a.example.com')).note).toContain('being removed')
    await ends()
    expect(await listed()).toEqual([])
    const refused = { code: 'not-found', message: expect.stringContaining('has no domain a.example.com') }
    await expect(remove('a.example.com')).rejects.toMatchObject(refused)
  })

  it('is taken away from the host that got it, also when the app has moved', async () => {
    await add('a.example.com')
    await ends()
    await test.plane.apps.set(app, { fingerprint: 'fp-2' })
    expect((await remove('a.example.com')).job.target).toBe('fp-1')
    expect((await add('b.example.com')).job.target).toBe('fp-2')
  })

  it.each([
    ['co.uk', 'can be registered'],
    ['no domain', 'can be registered'],
    ['192.0.2.1', 'can be registered'],
    ['a.b', 'domain'],
    ['*.example.com', 'wildcard'],
    ['svc.example', "the service's own"],
    ['RELAY.svc.example.', "the service's own"],
    ['two.svc.example', "the service's own"],
  ])('is refused in words: %s', async (name, words) => {
    const refused = { code: 'invalid-input', data: { details: [expect.stringContaining(words)] } }
    await expect(add(name)).rejects.toMatchObject(refused)
    expect(await listed()).toEqual([])
  })

  it.each([
    [{ allow: ['all'] }],
    [{ redirect_to: 'com' }],
    [{ redirect_to: 'a.example.com' }],
    [{ tls: 'own' }],
  ])('is refused with options that no host takes: %j', async (options) => {
    await expect(add('a.example.com', options)).rejects.toMatchObject({ code: 'invalid-input' })
  })

  it('leads to one app of a license until that has lost it; another license is no concern', async () => {
    const host = { fingerprint: 'fp-1', repoUrl: REPO }
    await test.plane.apps.create(licenseId, 'blog', host)
    await add('a.example.com')
    await ends()
    const toBlog = () => run('add', { app: 'blog', domain: 'a.example.com' })
    const refused = { code: 'conflict', message: expect.stringContaining('leads to shop') }
    await expect(toBlog()).rejects.toMatchObject(refused)
    expect(
      await test.plane.jobs.claim({ licenseId, fingerprint: 'fp-1', claimKey: undefined }),
    ).toMatchObject({ job: undefined })
    await remove('a.example.com')
    await expect(toBlog()).rejects.toMatchObject(refused)
    await ends()
    expect((await toBlog()).job.kind).toBe('expose')

    const { id } = await test.license()
    await test.plane.agents.heartbeat({
      ...buildHeartbeat({ licenseId: id, fingerprint: 'fp-3', hostname: 'fp-3' }),
      jobs: [],
    })
    await test.plane.apps.create(id, 'shop', { fingerprint: 'fp-3', repoUrl: REPO })
    expect((await add('a.example.com', { license: id })).job.target).toBe('fp-3')
  })

  it('is one of 50 at most, of which those that are gone do not count', async () => {
    for (let n = 0; n < MOST; n += 1) await add(`d${n}.example.com`)
    const refused = { code: 'conflict', message: expect.stringContaining('has 50 domains') }
    await expect(add('more.example.com')).rejects.toMatchObject(refused)
    expect((await add('d0.example.com')).note).toContain('is there already')
    for (let n = 0; n <= MOST; n += 1) await ends()
    await remove('d0.example.com')
    await ends()
    await add('more.example.com')
    expect(await listed()).toHaveLength(MOST)
  })

  it('needs a host, and goes with its app', async () => {
    await add('a.example.com')
    await test.plane.apps.remove(app)
    await test.plane.apps.create(licenseId, 'shop', { fingerprint: undefined, repoUrl: undefined })
    expect(await listed()).toEqual([])
    await expect(add('a.example.com')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('has no host'),
    })
  })
})
