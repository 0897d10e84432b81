import { beforeEach, describe, expect, it } from '@jest/globals'
import type { User } from '@svc/core/ports'
import { buildTenant, buildUser, oneTimeCode, quickPasswordHash } from '@svc/testing'
import { serving } from '../support/serving.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery'
const BEGIN = '/account/second-factor'
const CONFIRM = `${BEGIN}/confirm`
const REMOVE = `${BEGIN}/remove`

describe('a second factor over HTTP', () => {
  const served = serving()
  let user: User
  let cookie: string
  let address = 0

  const cookieOf = async (of: User) => (await served().plane.sessions.mint(of)).cookie
  const add = async (fields: object) => {
    const made = buildUser({ email: EMAIL, passwordHash: quickPasswordHash(PASSWORD), ...fields })
    await served().storage.users.add(made)
    return served().plane.users.resolve(made.email)
  }
  beforeEach(async () => {
    user = await add({})
    cookie = await cookieOf(user)
  })

  /** Sends from a new client address, unless `headers` give one. */
  const post = (path: string, body: object, headers: Record<string, string> = {}) => {
    address += 1
    return served().send({
      method: 'POST',
      path,
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': `2001:db8:${address}::1`,
        ...headers,
      },
      body: JSON.stringify(body),
    })
  }
  const own = (path: string, body: object, headers: Record<string, string> = {}) =>
    post(path, body, { cookie, ...headers })
  const login = (fields: object, headers: Record<string, string> = {}) =>
    post('/login', { email: EMAIL, password: PASSWORD, ...fields }, headers)
  const codeOf = (secret: string, steps = 0) =>
    oneTimeCode(secret, new Date(served().clock.now().getTime() + steps * 30_000))
  const nextStep = () => served().clock.advance({ seconds: 30 })

  async function enrolled() {
    const begun = await own(BEGIN, { current: PASSWORD })
    expect(begun.status).toBe(200)
    const { secret } = begun.body as { secret: string }
    const confirmed = await own(CONFIRM, { code: codeOf(secret) })
    expect(confirmed.status).toBe(200)
    nextStep()
    return { begun, secret, codes: (confirmed.body as { recovery_codes: string[] }).recovery_codes }
  }

  it('is begun with the password, confirmed with its first code, and from then on asked at sign-in', async () => {
    const { begun, secret, codes } = await enrolled()
    expect(begun.body).toEqual({
      otpauth_uri: expect.stringMatching(/^otpauth:\/\/totp\/svc:ada%40example\.com\?issuer=svc&secret=/),
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
    })
    expect(begun.headers['cache-control']).toBe('no-store')
    expect(new Set(codes).size).toBe(10)
    expect((await login({ code: codeOf(secret) })).status).toBe(200)
    expect((await login({ code: codes[0] })).status).toBe(200)
    const form = new URLSearchParams({ email: EMAIL, password: PASSWORD, code: codes[1] ?? '' })
    const byForm = await served().send({
      method: 'POST',
      path: '/login',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    })
    expect(byForm.status).toBe(200)
  })

  it('is for people of tenants too', async () => {
    const tenant = buildTenant()
    await served().storage.tenants.add(tenant)
    user = await add({ email: 'eve@acme.test', role: 'developer', tenantId: tenant.id })
    cookie = await cookieOf(user)
    const { codes } = await enrolled()
    expect((await login({ email: user.email })).status).toBe(401)
    expect((await login({ email: user.email, code: codes[2] })).status).toBe(200)
  })

  it('a missing and a wrong code get the answer of a wrong password, byte for byte but for the request', async () => {
    const { secret, codes } = await enrolled()
    const used = codeOf(secret)
    await login({ code: used })
    const wrong = await login({ password: 'nope' })
    const known = ({ status, text, headers }: typeof wrong) => {
      const { date: _date, 'svc-request-id': _id, ...rest } = headers
      return { status, text, headers: rest }
    }
    expect(wrong).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
    for (const fields of [
      {},
      { code: '' },
      { code: '000000' },
      { code: used },
      { code: codes[0]?.slice(1) },
    ]) {
      expect([fields, known(await login(fields))]).toEqual([fields, known(wrong)])
    }
    expect(served().log.lines.filter(({ fields }) => fields.reason === 'second factor')).toHaveLength(5)
    expect((await login({ code: 'x'.repeat(65) })).status).toBe(400)
    expect((await login({ code: 123_456 })).status).toBe(400)
  })

  it('wrong codes close an account as wrong passwords do, and not longer', async () => {
    const { secret } = await enrolled()
    served().clock.advance({ minutes: 15 })
    for (let tries = 0; tries < 10; tries += 1) {
      expect((await login({ code: codeOf(secret, 9 + tries) })).status).toBe(401)
    }
    expect((await login({ code: codeOf(secret) })).status).toBe(429)
    expect((await own(BEGIN, { current: PASSWORD })).status).toBe(429)
    served().clock.advance({ minutes: 15 })
    expect((await login({ code: codeOf(secret) })).status).toBe(200)
  })

  it.each([
    [BEGIN, { current: 'nope' }],
    [CONFIRM, { code: '000000' }],
    [REMOVE, { current: PASSWORD, code: '000000' }],
  ])('tries at %s count in the same limits as sign-ins', async (path, body) => {
    const { secret } = await enrolled()
    served().clock.advance({ minutes: 15 })
    const here = { 'x-forwarded-for': '192.0.2.1' }
    for (let tries = 0; tries < 5; tries += 1)
      expect([401, 409]).toContain((await own(path, body, here)).status)
    expect((await own(path, body, here)).headers['retry-after']).toBe('60')
    expect((await login({ code: codeOf(secret) }, here)).status).toBe(429)
    for (let tries = 0; tries < 5; tries += 1) expect([401, 409]).toContain((await own(path, body)).status)
    expect((await own(path, body)).status).toBe(429)
    expect((await login({ code: codeOf(secret) })).status).toBe(429)
  })

  it('is removed with the password and a code, and nothing of it is left', async () => {
    const { secret, codes } = await enrolled()
    const remove = (fields: object) => own(REMOVE, { current: PASSWORD, ...fields })
    const wrongs = [{ current: 'nope', code: codes[0] }, { code: '000000' }]
    for (const fields of wrongs) {
      expect(await remove(fields)).toMatchObject({
        status: 401,
        body: { error: 'unauthorized', code: 'unauthorized', detail: 'the password or the code is wrong' },
      })
    }
    expect(await own(BEGIN, { current: PASSWORD })).toMatchObject({ status: 409 })
    expect(await remove({ code: codeOf(secret) })).toMatchObject({ status: 200, body: { ok: true } })
    expect(await remove({ code: codes[0] })).toMatchObject({ status: 409 })
    expect((await login({})).status).toBe(200)
  })

  it.each([BEGIN, CONFIRM, REMOVE])(
    '%s is refused without a session and to other sites, and counts nothing',
    async (path) => {
      const here = { 'x-forwarded-for': '192.0.2.2' }
      const body = { current: PASSWORD, code: '000000' }
      for (let tries = 0; tries < 6; tries += 1) {
        expect((await post(path, body, here)).status).toBe(401)
        expect((await own(path, body, { ...here, origin: 'https://evil.example' })).status).toBe(403)
        expect((await own(path, body, { ...here, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
      }
      expect((await own(path, {}, here)).status).toBe(400)
    },
  )

  it('the one that waits is for its own user alone', async () => {
    const { secret } = (await own(BEGIN, { current: PASSWORD })).body as { secret: string }
    const stranger = await add({ email: 'eve@example.com' })
    const foreign = { cookie: await cookieOf(stranger) }
    expect((await post(CONFIRM, { code: codeOf(secret) }, foreign)).status).toBe(409)
    expect((await own(CONFIRM, { code: codeOf(secret) })).status).toBe(200)
  })
})

describe.each([
  ['staff', 'operator', true],
  ['staff', 'developer', false],
  ['all', 'operator', true],
  ['all', 'developer', true],
  ['optional', 'super_admin', false],
  [undefined, 'super_admin', false],
] as const)('with SERVICE_SECOND_FACTOR=%s a sign-in of the role %s', (demand, role, isDemanded) => {
  const served = serving({ env: { SERVICE_SECOND_FACTOR: demand } })
  const PATHS = ['/api/v1/operations', '/api/deploy/none/logs', '/api/health/system'] as const

  it('is good for setting one up alone where it is demanded, and for all where it is not', async () => {
    const { plane, storage, send, clock } = served()
    const tenant = buildTenant()
    await storage.tenants.add(tenant)
    const isMember = role === 'developer'
    const passwordHash = quickPasswordHash(PASSWORD)
    const made = buildUser({ email: EMAIL, passwordHash, role, tenantId: isMember ? tenant.id : undefined })
    await storage.users.add(made)
    const user = await plane.users.resolve(EMAIL)
    const json = { 'content-type': 'application/json' }
    const post = (path: string, body: object, cookie?: string) =>
      send({
        method: 'POST',
        path,
        headers: { ...json, ...(cookie === undefined ? {} : { cookie }) },
        body: JSON.stringify(body),
      })
    const login = async (code?: string) => {
      const { headers } = await post('/login', { email: EMAIL, password: PASSWORD, code: code ?? '' })
      return headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    }
    const statuses = (cookie: string) =>
      Promise.all(PATHS.map(async (path) => (await send({ path, headers: { cookie } })).status))
    const minted = async () =>
      (await plane.operations.run('sessions.mint', { email: EMAIL }, 'ann')).cookie as string
    const admitted = await statuses(await minted())
    expect(admitted).toEqual([200, 404, role === 'super_admin' ? 200 : 403])

    const cookie = await login()
    const refused = PATHS.map(() => 403)
    expect(await statuses(cookie)).toEqual(isDemanded ? refused : admitted)
    const operation = await post('/api/v1/operations/tenants.list', {}, cookie)
    expect(operation.status).toBe(isDemanded ? 403 : 200)
    if (isDemanded && !isMember)
      expect(operation.body).toMatchObject({
        detail: expect.stringContaining('svc account second-factor add'),
      })
    const { body } = await post(BEGIN, { current: PASSWORD }, cookie)
    expect(await statuses(cookie)).toEqual(isDemanded ? refused : admitted)
    const { secret } = body as { secret: string }
    expect((await post(CONFIRM, { code: oneTimeCode(secret, clock.now()) }, cookie)).status).toBe(200)
    expect(await statuses(cookie)).toEqual(admitted)
    clock.advance({ minutes: 1 })
    const withCode = await login(oneTimeCode(secret, clock.now()))
    expect(await statuses(withCode)).toEqual(admitted)
    // Once the second factor is removed, it is required again at once.
    const { factor } = await storage.secondFactors.find(user.id)
    await storage.secondFactors.remove(user.id, { secret: factor?.secret ?? '', step: 2 ** 30 })
    expect(await statuses(withCode)).toEqual(isDemanded ? refused : admitted)
    // A session that no operator opened needs the second factor, like one from a sign-in.
    expect(await statuses((await plane.sessions.mint(user)).cookie)).toEqual(isDemanded ? refused : admitted)
    expect((await post('/logout', {}, withCode)).status).toBe(200)
  })
})
