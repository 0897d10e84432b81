import { scryptSync } from 'node:crypto'
import { beforeEach, describe, expect, it } from '@jest/globals'
import { unixSeconds } from '@svc/core'
import { IDLE_SECONDS } from '@svc/core/adapters'
import { SESSION_SECONDS } from '@svc/core/ports'
import { serving } from '../support/serving.ts'

const EMAIL = 'ada@acme.example'
const PASSWORD = 'correct horse battery'
const NEW_PASSWORD = 'heron gravel violin'

// The costs are part of a password hash: these are low enough for many guesses.
const CHEAP_HASH = [
  ...['scrypt', 4, 8, 1, Buffer.from('salt').toString('base64url')],
  scryptSync(PASSWORD, 'salt', 32, { N: 2 ** 4, r: 8, p: 1 }).toString('base64url'),
].join('$')

interface Listed {
  readonly sessions: readonly { readonly id: string; readonly current: boolean }[]
}

describe('the account of who is signed in', () => {
  const served = serving()
  let address = 0
  let cookie: string

  // A user of a tenant, who may run no operation.
  beforeEach(async () => {
    const { tenants, users } = served().plane
    const { id: tenantId } = await tenants.add('acme')
    const { id } = await users.add({ email: EMAIL, role: 'viewer', tenantId, password: undefined })
    await served().storage.users.change(id, { passwordHash: CHEAP_HASH })
    cookie = await signedIn()
  })

  const signedIn = async (email = EMAIL) =>
    (await served().plane.sessions.mint(await served().plane.users.resolve(email))).cookie
  const isLive = async (which: string) => (await served().plane.sessions.authenticate(which)) !== undefined
  const post = (path: string, body: object, headers: Record<string, string> = {}) => {
    address += 1
    const common = { 'x-forwarded-for': `2001:db8:${address}::1`, 'content-type': 'application/json', cookie }
    return served().send({
      method: 'POST',
      path,
      headers: { ...common, ...headers },
      body: JSON.stringify(body),
    })
  }
  const change = (body: object, headers = {}) => post('/account/password', body, headers)
  const end = (body: object, headers = {}) => post('/account/sessions/end', body, headers)
  const list = (which = cookie, headers = {}) =>
    served().send({ path: '/account/sessions', headers: { cookie: which, ...headers } })
  const ownId = async (which: string) =>
    ((await list(which)).body as Listed).sessions.find(({ current }) => current)?.id ?? ''

  it('a password is changed with the current one, and a fresh session takes the place of all', async () => {
    const elsewhere = await signedIn()
    const changed = await change({ current: PASSWORD, password: NEW_PASSWORD })
    expect(changed).toMatchObject({ status: 200, body: { ok: true } })
    const [given = ''] = changed.headers['set-cookie'] ?? []
    expect(given).toMatch(
      /^svc_session=v1\.[\w-]{43}\.[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=43200; Secure$/,
    )
    const fresh = given.split(';')[0] ?? ''
    expect([await isLive(cookie), await isLive(elsewhere), await isLive(fresh)]).toEqual([false, false, true])
    const login = (password: string) => post('/login', { email: EMAIL, password }, { cookie: '' })
    expect((await login(PASSWORD)).status).toBe(401)
    expect((await login(NEW_PASSWORD)).status).toBe(200)
  })

  it('without the current password, or with a new one that is too easy, nothing changes', async () => {
    const wrong = await change({ current: `${PASSWORD}.`, password: NEW_PASSWORD })
    expect(wrong).toMatchObject({
      status: 401,
      body: { error: 'unauthorized', code: 'unauthorized', detail: 'the current password is wrong' },
    })
    expect(wrong.headers['set-cookie']).toBeUndefined()
    expect((await change({ password: NEW_PASSWORD })).status).toBe(400)
    expect((await change({ current: PASSWORD, password: 'too short' })).status).toBe(400)
    const weak = await change({ current: PASSWORD, password: 'acme-ada-acme' })
    expect(weak).toMatchObject({
      status: 400,
      body: { error: 'invalid request body', details: [expect.stringContaining('words of this account')] },
    })
    expect(weak.text).not.toContain('acme-ada')
    expect(await isLive(cookie)).toBe(true)
    expect((await served().plane.sessions.login(EMAIL, PASSWORD)).user.email).toBe(EMAIL)
  })

  it('the current password is guessed as often as one may sign in: five a minute and address', async () => {
    const here = { 'x-forwarded-for': '192.0.2.1' }
    for (let tries = 0; tries < 2; tries += 1) expect((await change({}, here)).status).toBe(400)
    for (let tries = 0; tries < 2; tries += 1) expect((await end({}, here)).status).toBe(400)
    expect((await post('/login', {}, here)).status).toBe(400)
    for (const refused of [await change({}, here), await end({}, here), await post('/login', {}, here)])
      expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '60' } })
    expect((await change({})).status).toBe(400)
  })

  it('and ten in a quarter of an hour and account, from however many addresses, sign-ins among them', async () => {
    const guess = { current: 'not the password', password: NEW_PASSWORD }
    for (let tries = 0; tries < 4; tries += 1) expect((await change(guess)).status).toBe(401)
    for (let tries = 0; tries < 3; tries += 1)
      expect((await end({ current: 'not the password', all: true })).status).toBe(401)
    for (let tries = 0; tries < 3; tries += 1)
      expect((await post('/login', { email: ` ${EMAIL}`, password: 'x' })).status).toBe(401)
    expect((await change({ current: PASSWORD, password: NEW_PASSWORD })).status).toBe(429)
    expect((await end({ current: PASSWORD, all: true })).status).toBe(429)
    expect((await post('/login', { email: EMAIL, password: PASSWORD })).status).toBe(429)
    served().clock.advance({ minutes: 15 })
    expect((await change({ current: PASSWORD, password: NEW_PASSWORD })).status).toBe(200)
  }, 60_000)

  it('own live sessions are shown in unix seconds, and no idle or ended ones, nor those of others', async () => {
    const { plane, clock } = served()
    const eve = { email: 'eve@acme.example', role: 'viewer', tenantId: undefined, password: undefined }
    await plane.users.add(eve)
    await signedIn(eve.email)
    clock.advance({ seconds: IDLE_SECONDS })
    const begun = unixSeconds(clock.now())
    const left = await signedIn()
    const ended = await plane.sessions.authenticate(await signedIn())
    await plane.sessions.logout(ended?.digest ?? '')
    clock.advance({ seconds: 90 })
    cookie = await signedIn()
    const { status, body, text } = await list()
    expect(status).toBe(200)
    const shown = (from: number, current: boolean) => ({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      created_at: from,
      last_used_at: from,
      expires_at: from + SESSION_SECONDS,
      current,
    })
    expect(body).toEqual({ sessions: [shown(begun + 90, true), shown(begun, false)] })
    for (const secret of [cookie, left].flatMap((each) => each.split('.').slice(1)))
      expect(text).not.toContain(secret)
  })

  it('one other session ends by its id, or all others, and the password is asked for each time', async () => {
    const [phone, laptop, tablet] = [await signedIn(), await signedIn(), await signedIn()]
    const id = await ownId(phone)
    expect((await end({ id })).status).toBe(400)
    expect((await end({ current: 'not the password', id })).status).toBe(401)
    expect(await isLive(phone)).toBe(true)
    expect(await end({ current: PASSWORD, id })).toMatchObject({ status: 200, body: { ended: 1 } })
    expect([await isLive(phone), await isLive(laptop)]).toEqual([false, true])
    expect((await end({ current: PASSWORD, id })).status).toBe(404)
    expect(await end({ current: PASSWORD, all: true })).toMatchObject({ status: 200, body: { ended: 2 } })
    expect([await isLive(laptop), await isLive(tablet), await isLive(cookie)]).toEqual([false, false, true])
  })

  it('nobody ends what is another’s, nor the session they come with, nor one and all at once', async () => {
    const eve = { email: 'eve@acme.example', role: 'viewer', tenantId: undefined, password: undefined }
    await served().plane.users.add(eve)
    const others = await signedIn(eve.email)
    expect((await end({ current: PASSWORD, id: await ownId(others) })).status).toBe(404)
    expect(await isLive(others)).toBe(true)
    expect((await end({ current: PASSWORD, id: await ownId(cookie) })).status).toBe(409)
    const id = await ownId(await signedIn())
    for (const body of [{}, { id, all: true }, { all: false }])
      expect(await end({ current: PASSWORD, ...body })).toMatchObject({
        status: 400,
        body: { details: ['id: expected either id or all'] },
      })
    expect(((await list()).body as Listed).sessions).toHaveLength(2)
  })

  it('other sites do none of it, nor see it', async () => {
    const elsewhere = await signedIn()
    for (const foreign of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      expect((await change({ current: PASSWORD, password: NEW_PASSWORD }, foreign)).status).toBe(403)
      expect((await end({ current: PASSWORD, all: true }, foreign)).status).toBe(403)
      expect((await list(cookie, foreign)).status).toBe(403)
    }
    expect([await isLive(cookie), await isLive(elsewhere)]).toEqual([true, true])
  })

  it('who administers users changes their own password the same way: a session alone does not suffice', async () => {
    const { users } = served().plane
    const admin = { email: 'root@svc.example', role: 'super_admin', tenantId: undefined, password: PASSWORD }
    await users.add(admin)
    cookie = await signedIn(admin.email)
    const confirmation = { current: PASSWORD }
    const set = (email: string) =>
      post('/api/v1/operations/users.set-password', { email, password: NEW_PASSWORD, confirmation })
    expect(await set(' ROOT@svc.example'.trim())).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('svc account password') },
    })
    expect((await served().plane.sessions.login(admin.email, PASSWORD)).user.email).toBe(admin.email)
    expect((await set(EMAIL)).status).toBe(200)
  })
})
