import { beforeEach, describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { mounted } from '../../../../test/support/mounted.ts'
import { LOGINS_PER_ACCOUNT } from '../../src/gates/session.ts'
import { serving } from '../support/serving.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery'

describe('POST /login and /logout', () => {
  const served = serving()
  const login = (body: unknown, headers: Record<string, string> = {}) =>
    served().send({
      method: 'POST',
      path: '/login',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })

  beforeEach(async () => {
    await served().plane.users.add({
      email: EMAIL,
      role: 'operator',
      tenantId: undefined,
      password: PASSWORD,
    })
  })

  it('signs in by JSON and by form, with a cookie that scripts cannot read', async () => {
    const json = await login({ email: EMAIL, password: PASSWORD })
    expect(json).toMatchObject({ status: 200, body: { ok: true } })
    expect(json.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^svc_session=v1\.[\w-]{43}\.[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=43200; Secure$/,
      ),
    ])
    const form = new URLSearchParams({ email: EMAIL, password: PASSWORD }).toString()
    const byForm = await login(form, { 'content-type': 'application/x-www-form-urlencoded' })
    expect(byForm.status).toBe(200)
  })

  it('a wrong password and an unknown user get the same answer', async () => {
    const [wrong, unknown] = [
      await login({ email: EMAIL, password: 'nope' }),
      await login({ email: 'nobody@example.com', password: PASSWORD }),
    ]
    expect(wrong).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
    expect(unknown).toMatchObject({ status: wrong.status, text: wrong.text })
    expect(wrong.headers['set-cookie']).toBeUndefined()
  })

  it('refuses other sites by Origin, and by Sec-Fetch-Site without one', async () => {
    const body = { email: EMAIL, password: PASSWORD }
    const own = `http://127.0.0.1:${served().port}`
    expect((await login(body, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await login(body, { origin: 'null' })).status).toBe(403)
    expect((await login(body, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await login(body, { origin: own, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  })

  it('takes five tries a minute and address', async () => {
    for (let tries = 0; tries < 5; tries += 1) expect((await login('{')).status).toBe(400)
    const refused = await login('{')
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '60' } })
    served().clock.advance({ seconds: 60 })
    expect((await login('{')).status).toBe(400)
  })

  it('takes ten tries a quarter of an hour and account, from however many addresses', async () => {
    const nobody = { email: 'nobody@example.com', password: '' }
    const from = (address: number) =>
      login({ ...nobody, password: 'x' }, { 'x-forwarded-for': `192.0.2.${address}` })
    for (let tries = 0; tries < 10; tries += 1) {
      await served().plane.limits.take(LOGINS_PER_ACCOUNT, nobody.email)
    }
    expect((await from(11)).status).toBe(429)
  })

  it('counts every spelling of an email that finds the account in one window', async () => {
    const [elsewhere = '', ...spellings] = [
      'eve@example.com',
      EMAIL,
      ` ${EMAIL}`,
      `${EMAIL}\t `,
      'ADA@Example.COM',
      `\u00a0Ada@example.com\n`,
    ]
    let address = 0
    const tryOf = async (email: string) => {
      address += 1
      const body = { email, password: 'nope' }
      return (await login(body, { 'x-forwarded-for': `192.0.2.${address}` })).status
    }
    for (const email of [...spellings, ...spellings]) {
      expect([address, await tryOf(email)]).toEqual([address - 1, address > 10 ? 429 : 401])
    }
    for (const email of spellings) expect([email, await tryOf(email)]).toEqual([email, 429])
    expect(await tryOf(elsewhere)).toBe(401)
  }, 60_000)

  it('says when to come again while too many passwords are being checked', async () => {
    const { storage } = served()
    const add = (name: string, costs: string) =>
      storage.users.add({
        id: `usr_${name}`,
        email: `${name}@example.com`,
        role: 'viewer',
        tenantId: undefined,
        passwordHash: `scrypt$${costs}$${'A'.repeat(22)}$${'A'.repeat(43)}`,
      })
    const tryOf = (name: string, address: string) =>
      login({ email: `${name}@example.com`, password: 'nope' }, { 'x-forwarded-for': address })
    // At most two passwords are checked at a time, and 64 wait. The slow checks take so long that all other
    // sign-ins arrive meanwhile.
    await add('slow', '17$8$6')
    for (let quick = 0; quick < 8; quick += 1) await add(`quick${quick}`, '4$8$1')
    const slow = [tryOf('slow', '192.0.2.1'), tryOf('slow', '192.0.2.2')]
    const quick = Array.from({ length: 70 }, (_, index) => tryOf(`quick${index % 8}`, `198.51.100.${index}`))
    const answers = await Promise.all([...slow, ...quick])
    const refused = answers.filter(({ status }) => status !== 401)
    expect(refused.length).toBeGreaterThanOrEqual(6)
    for (const each of refused) {
      expect(each).toMatchObject({
        status: 503,
        headers: { 'retry-after': '1' },
        body: { error: 'service unavailable' },
      })
    }
    expect((await tryOf('quick0', '203.0.113.1')).status).toBe(401)
  }, 120_000)

  it('bad bodies get their documented answers', async () => {
    expect(await login('{}')).toMatchObject({ status: 400, body: { error: 'invalid request body' } })
    expect(await login('[')).toMatchObject({ status: 400, body: { error: 'invalid JSON body' } })
    expect((await login(JSON.stringify({ email: 'x'.repeat(70_000) }))).status).toBe(413)
  })

  it('logout ends the session and takes the cookie away', async () => {
    const cookie = await cookieOf()
    const out = () => served().send({ method: 'POST', path: '/logout', headers: { cookie } })
    expect(await out()).toMatchObject({ status: 200, body: { ok: true } })
    expect(await out()).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
  })

  it('other sites sign nobody out, by Origin and by Sec-Fetch-Site without one', async () => {
    const cookie = await cookieOf()
    const own = `http://127.0.0.1:${served().port}`
    const out = (headers: Record<string, string>, sent = cookie) =>
      served().send({ method: 'POST', path: '/logout', headers: { cookie: sent, ...headers } })
    for (const foreign of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: own.replace('http:', 'ftp:') },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const refused = await out(foreign)
      expect([foreign, refused.status, refused.body]).toEqual([foreign, 403, { error: 'forbidden' }])
      expect(refused.headers['set-cookie']).toBeUndefined()
      expect((await out(foreign, 'svc_session=v1.a.b')).status).toBe(401)
    }
    expect(await served().plane.sessions.authenticate(cookie)).toBeDefined()
    expect((await out({ origin: own, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    expect(await served().plane.sessions.authenticate(cookie)).toBeUndefined()
  })

  const cookieOf = async () =>
    (await served().plane.sessions.mint(await served().plane.users.resolve(EMAIL))).cookie
})

describe('the cookie', () => {
  it.each([
    ['https://svc.example', 'production', true],
    ['HTTPS://svc.example/below', 'development', true],
    ['http://127.0.0.1:8080', 'production', false],
    [undefined, 'production', true],
    [undefined, 'development', false],
  ])('of a service at %s in %s is for https only: %s', async (address, mode, isSecure) => {
    const env = { SERVICE_PUBLIC_URL: address, NODE_ENV: mode }
    await using served = await mounted(undefined, { env })
    await served.plane.users.add({ email: EMAIL, role: 'operator', tenantId: undefined, password: PASSWORD })
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ email: EMAIL, password: PASSWORD })
    const signedIn = await served.send({ method: 'POST', path: '/login', headers, body })
    const [given = ''] = signedIn.headers['set-cookie'] ?? []
    const cookie = given.split(';')[0] ?? ''
    const signedOut = await served.send({ method: 'POST', path: '/logout', headers: { cookie } })
    for (const { status, headers } of [signedIn, signedOut]) {
      expect(status).toBe(200)
      const attributes = headers['set-cookie']?.map((each) => each.split('; ').slice(1))
      const wanted = ['HttpOnly', 'SameSite=Lax', 'Path=/', expect.stringMatching(/^Max-Age=/)]
      expect(attributes).toEqual([isSecure ? [...wanted, 'Secure'] : wanted])
    }
  })
})

describe('GET /api/deploy/{id}/logs', () => {
  const served = serving()

  async function cookieOf(role: string, tenant?: string) {
    const { users, sessions, tenants } = served().plane
    const tenantId = tenant === undefined ? undefined : (await tenants.resolve(PLATFORM, tenant)).id
    const user = await users.add({
      email: `${role}${tenant ?? ''}@example.com`,
      role,
      tenantId,
      password: undefined,
    })
    return (await sessions.mint(user)).cookie
  }

  async function deployed(tenant?: string) {
    const { licenses, tenants, jobs } = served().plane
    const tenantId = tenant === undefined ? undefined : (await tenants.add(tenant)).id
    const { license } = await licenses.issue({ tenantId })
    const source = { type: 'git', repo_url: 'https://git.example/app', sha: 'a'.repeat(40) }
    await jobs.enqueue({ licenseId: license.id, kind: 'deploy', payload: { app: 'app', source } })
    const { job } = await jobs.claim({ licenseId: license.id, fingerprint: 'fp', claimKey: undefined })
    const owner = { jobId: job?.id ?? '', licenseId: license.id, fingerprint: 'fp', attempt: 1 }
    const lines = ['one', 'two', 'three'].map((line, ts) => ({ ts, line }))
    await jobs.appendLogs({ ...owner, lines, offset: 0, idempotencyKey: undefined })
    return { id: job?.deploymentId ?? '', owner }
  }

  const read = (id: string, cookie?: string, query = '') =>
    served().send({ path: `/api/deploy/${id}/logs${query}`, headers: cookie === undefined ? {} : { cookie } })

  it('ends an answer before it is longer than 1 Mi characters; who reads on gets the rest', async () => {
    const { id, owner } = await deployed()
    const cookie = await cookieOf('super_admin')
    const lines = Array.from({ length: 300 }, (_, ts) => ({ ts, line: `${ts} `.padEnd(8192, 'x') }))
    await served().plane.jobs.appendLogs({ ...owner, lines, offset: 3, idempotencyKey: undefined })
    const texts: string[] = []
    for (let answers = 0; texts.length < 303; answers += 1) {
      const { body, headers } = await read(id, cookie, `?after=${texts.length}`)
      expect(headers['svc-log-count']).toBe('303')
      const { logs } = body as { readonly logs: readonly { readonly line: string }[] }
      expect(logs.map(({ line }) => line).join('').length).toBeLessThanOrEqual(1_048_576)
      texts.push(...logs.map(({ line }) => line))
      expect(answers).toBeLessThan(3)
    }
    expect(texts).toEqual(['one', 'two', 'three', ...lines.map(({ line }) => line)])
  })

  it('gives the state of the job and its lines', async () => {
    const { id, owner } = await deployed()
    const cookie = await cookieOf('super_admin')
    const answer = await read(id, cookie)
    expect(answer.body).toEqual({
      state: 'claimed',
      logs: [
        { ts: 0, line: 'one' },
        { ts: 1, line: 'two' },
        { ts: 2, line: 'three' },
      ],
    })
    expect(answer.headers['svc-log-count']).toBe('3')
    await served().plane.jobs.report({ ...owner, state: 'succeeded', exitCode: 0, error: undefined })
    expect(await read(id, cookie, '?after=1&limit=1')).toMatchObject({
      body: { state: 'succeeded', logs: [{ line: 'two' }] },
    })
    expect(await read(id, cookie, '?after=-1&limit=x')).toMatchObject({ status: 200 })
  })

  it('401 comes before 403, and 403 before 404', async () => {
    const { id } = await deployed()
    expect(await read(id)).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
    expect(await read('nope')).toMatchObject({ status: 401 })
    const viewer = await cookieOf('viewer')
    expect(await read(id, viewer)).toMatchObject({ status: 403, body: { error: 'forbidden' } })
    expect(await read('nope', viewer)).toMatchObject({ status: 403 })
    const operator = await cookieOf('operator')
    expect(await read('nope', operator)).toMatchObject({ status: 404, body: { error: 'not found' } })
    expect((await read('x'.repeat(8000), operator)).status).toBe(404)
    expect((await read('%00', operator)).status).toBe(404)
  })

  it("another tenant's deployment does not exist for a product user", async () => {
    const { id } = await deployed('Acme')
    await served().plane.tenants.add('Other')
    expect((await read(id, await cookieOf('developer', 'Acme'))).status).toBe(200)
    expect(await read(id, await cookieOf('owner', 'Other'))).toMatchObject({
      status: 404,
      body: { error: 'not found' },
    })
  })

  it('a forged or barred session is none', async () => {
    const { id } = await deployed()
    const cookie = await cookieOf('operator')
    expect(
      (
        await read(
          id,
          cookie.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')),
        )
      ).status,
    ).toBe(401)
    await served().plane.users.setDisabled('operator@example.com', true)
    expect((await read(id, cookie)).status).toBe(401)
  })
})

describe('operations over HTTPS', () => {
  const served = serving()

  async function runAs(role: string, name: string, input: object, headers: Record<string, string> = {}) {
    const { users, sessions } = served().plane
    const email = `${role}-${name}-${Object.keys(headers).length}@example.com`
    const user = await users.add({ email, role, tenantId: undefined, password: undefined })
    const { cookie } = await sessions.mint(user)
    const path = `/api/v1/operations/${name}`
    return served().send({
      method: 'POST',
      path,
      headers: { cookie, ...headers },
      body: JSON.stringify(input),
    })
  }

  it('are run by who holds the permission, under their name', async () => {
    const done = await runAs('super_admin', 'tenants.add', { name: 'Acme' })
    expect(done).toMatchObject({ status: 200, body: { tenant: { name: 'Acme' } } })
    const [row] = await served().storage.audit.list(1)
    expect(row).toMatchObject({ operation: 'tenants.add', actor: expect.stringMatching(/^super_admin-/) })
  })

  it('are refused without the permission, without a session, to other sites, and to tenants unless they are for them', async () => {
    expect(await runAs('viewer', 'tenants.add', { name: 'Acme' })).toMatchObject({
      status: 403,
      body: { error: 'forbidden', detail: 'tenants.add needs platform.admin' },
    })
    const bare = await served().send({ method: 'POST', path: '/api/v1/operations/tenants.list', body: '{}' })
    expect(bare.status).toBe(401)
    const foreign = await runAs('super_admin', 'tenants.list', {}, { origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
    const tenant = await served().plane.tenants.add('Acme')
    const owner = { email: 'owner@example.com', role: 'owner', tenantId: tenant.id, password: undefined }
    const { cookie } = await served().plane.sessions.mint(await served().plane.users.add(owner))
    const asked = { method: 'POST', path: '/api/v1/operations/tenants.add', headers: { cookie }, body: '{}' }
    expect(await served().send(asked)).toMatchObject({ status: 403 })
    const listed = await served().send({ ...asked, path: '/api/v1/operations/tenants.list' })
    expect(listed).toMatchObject({ status: 200, body: { tenants: [{ id: tenant.id, name: 'Acme' }] } })
  })

  it('leave a line with who asked for what they may not', async () => {
    await runAs('viewer', 'tenants.add', { name: 'Acme' })
    const refused = served().log.lines.filter(({ message }) => message === 'operation refused')
    expect(refused.map(({ fields }) => fields)).toEqual([
      { user: expect.stringMatching(/^usr_/), operation: 'tenants.add' },
    ])
  })

  it('explain what is wrong to operators', async () => {
    expect(await runAs('super_admin', 'jobs.show', { job: 'job_x' })).toMatchObject({
      status: 404,
      body: { error: 'not found', code: 'not-found', detail: 'there is no job job_x' },
    })
  })
})
