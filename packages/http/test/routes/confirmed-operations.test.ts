import { beforeEach, describe, expect, it } from '@jest/globals'
import { OPERATIONS } from '@svc/core'
import type { User } from '@svc/core/ports'
import { buildUser, oneTimeCode, quickPasswordHash } from '@svc/testing'
import { serving } from '../support/serving.ts'

const ADMIN = 'root@svc.example'
const OTHER = 'ada@svc.example'
const PASSWORD = 'correct horse battery'
const NEW_PASSWORD = 'heron gravel violin'
const confirmation = { current: PASSWORD }

/** A good input for each operation that requires a confirmation beside the session. */
const INPUTS: Readonly<Record<string, object>> = {
  'users.add': { email: 'eve@svc.example', role: 'super_admin' },
  'users.set-role': { email: OTHER, role: 'super_admin' },
  'users.set-password': { email: OTHER, password: NEW_PASSWORD },
  'users.disable': { email: OTHER },
  'users.enable': { email: OTHER },
  'users.reset-second-factor': { email: OTHER },
  'sessions.mint': { email: OTHER },
  'tokens.issue': { role: 'viewer' },
  'retention.accept': { job_days: 90, log_days: 30 },
  'provision.remove-server': { server: '4711' },
  'provision-credentials.set': { provider: 'hetzner', secret: 'h'.repeat(64) },
  'provision-credentials.clear': { provider: 'hetzner' },
  'provision-orders.destroy': { order: 'pord_1' },
  'browser-tokens.issue': { label: 'crawler', daily: 10 },
}

/** Operations on things of a provider that is not here: they get past the password, and find nothing. */
const ABSENT: ReadonlySet<string> = new Set([
  'provision.remove-server',
  'provision-credentials.clear',
  'provision-orders.destroy',
])

describe('operations that take more than a session', () => {
  const served = serving()
  let admin: User
  let cookie: string
  let address = 0

  const add = async (fields: Parameters<typeof buildUser>[0]) => {
    const made = buildUser({ role: 'super_admin', passwordHash: quickPasswordHash(PASSWORD), ...fields })
    await served().storage.users.add(made)
    return served().plane.users.resolve(made.email)
  }
  beforeEach(async () => {
    admin = await add({ email: ADMIN })
    await add({ email: OTHER, role: 'viewer' })
    cookie = (await served().plane.sessions.mint(admin)).cookie
  })

  /** Sends from a new client address, unless `headers` give one. */
  const run = (name: string, input: object, headers: Readonly<Record<string, string>> = {}) => {
    address += 1
    return served().send({
      method: 'POST',
      path: `/api/v1/operations/${name}`,
      headers: { 'x-forwarded-for': `192.0.2.${address}`, cookie, ...headers },
      body: JSON.stringify(input),
    })
  }
  const users = async () => JSON.stringify(await served().storage.users.list())
  const audit = () => served().storage.audit.list(100)

  it('are those that change users, make sessions and tokens, let history go, and hand over or end paid servers', () => {
    const confirmed = OPERATIONS.filter((each) => each.confirmed).map(({ name }) => name)
    // A first code is good for nobody once there is somebody who could give a password.
    const changing = OPERATIONS.filter(
      ({ changes, name }) => changes && name.startsWith('users.') && name !== 'users.first-code',
    )
    expect(confirmed).toEqual([
      ...changing.map(({ name }) => name),
      ...['sessions.mint', 'tokens.issue', 'retention.accept', 'provision.remove-server'],
      ...[
        'provision-credentials.set',
        'provision-credentials.clear',
        'provision-orders.destroy',
        'browser-tokens.issue',
      ],
    ])
    expect(Object.keys(INPUTS)).toEqual(confirmed)
  })

  it.each(Object.entries(INPUTS))('%s: a session alone changes nothing', async (name, input) => {
    const before = await users()
    expect(await run(name, input)).toMatchObject({
      status: 403,
      body: { error: 'confirmation required', code: 'confirmation-required', detail: expect.any(String) },
    })
    expect(await users()).toBe(before)
    expect(await audit()).toEqual([])
    expect(await served().storage.sessions.live((await served().plane.users.resolve(OTHER)).id)).toEqual([])
  })

  it.each(Object.entries(INPUTS))(
    '%s: with the password it is done, and the row has no password',
    async (name, input) => {
      const { status } = await run(name, { ...input, confirmation })
      if (ABSENT.has(name)) expect([401, 403]).not.toContain(status)
      else expect(status).toBe(200)
      const [row, ...more] = await audit()
      expect(more).toEqual([])
      const outcome = ABSENT.has(name) ? expect.not.stringMatching(/unauthorized|forbidden|ok/) : 'ok'
      expect(row).toMatchObject({ actor: ADMIN, operation: name, outcome })
      expect(JSON.stringify(row)).not.toMatch(/confirmation|correct horse|heron/)
    },
  )

  it.each(Object.entries(INPUTS))(
    '%s: with a wrong password nothing changes, and a row says so',
    async (name, input) => {
      const before = await users()
      const wrong = await run(name, { ...input, confirmation: { current: `${PASSWORD}.` } })
      expect(wrong).toMatchObject({
        status: 401,
        body: { code: 'unauthorized', detail: 'the current password or the code is wrong' },
      })
      expect(await users()).toBe(before)
      expect(await audit()).toMatchObject([{ actor: ADMIN, operation: name, outcome: 'unauthorized' }])
    },
  )

  it('a wrong password counts as a sign-in: five a minute and address', async () => {
    const here = { 'x-forwarded-for': '198.51.100.7' }
    const guess = { ...INPUTS['users.disable'], confirmation: { current: 'a guess' } }
    for (let tries = 0; tries < 5; tries += 1)
      expect((await run('users.disable', guess, here)).status).toBe(401)
    const sixth = await run('users.disable', { ...guess, confirmation }, here)
    expect(sixth).toMatchObject({ status: 429, headers: { 'retry-after': '60' } })
  })

  it('a wrong password counts as a sign-in: after ten in a quarter of an hour the account is closed', async () => {
    const guess = { ...INPUTS['users.disable'], confirmation: { current: 'a guess' } }
    for (let tries = 0; tries < 10; tries += 1) expect((await run('users.disable', guess)).status).toBe(401)
    expect((await run('users.disable', { ...guess, confirmation })).status).toBe(429)
    const login = await served().send({
      method: 'POST',
      path: '/login',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '198.51.100.8' },
      body: JSON.stringify({ email: ADMIN, password: PASSWORD }),
    })
    expect(login.status).toBe(429)
    // The session still works for operations without a confirmation.
    expect((await run('users.list', {})).status).toBe(200)
  })

  it('who has a second factor brings a code too, which counts once', async () => {
    const { secondFactors } = served().plane
    const codeNow = () => oneTimeCode(secret, served().clock.now())
    const { secret } = await secondFactors.begin(admin, PASSWORD)
    const caller = await served().plane.sessions.authenticate(cookie)
    await secondFactors.confirm(admin, codeNow(), caller?.digest ?? '')
    served().clock.advance({ seconds: 30 })
    const disable = (code?: string) =>
      run('users.disable', { email: OTHER, confirmation: { ...confirmation, code } })
    expect((await disable()).status).toBe(401)
    expect((await disable('000000')).status).toBe(401)
    const code = codeNow()
    const wrong = { email: OTHER, confirmation: { current: 'a guess', code } }
    expect((await run('users.disable', wrong)).status).toBe(401)
    expect((await disable(code)).status).toBe(200)
    expect((await disable(code)).status).toBe(401)
  })

  it('nobody mints a session for themselves, or sets their own password or second factor back', async () => {
    for (const [name, input] of [
      ['sessions.mint', { email: ADMIN }],
      ['users.set-password', { email: ADMIN.toUpperCase(), password: NEW_PASSWORD }],
      ['users.reset-second-factor', { email: ADMIN }],
    ] as const) {
      const own = await run(name, { ...input, confirmation })
      expect(own).toMatchObject({
        status: 403,
        body: { code: 'forbidden', detail: expect.stringMatching(/^your own/) },
      })
    }
    expect(await audit()).toMatchObject(Array(3).fill({ actor: ADMIN, outcome: 'forbidden' }))
  })

  it('a minted session mints no other, with the password neither; users it changes with the password', async () => {
    cookie = (await served().plane.sessions.mint(admin, { byOperator: true })).cookie
    expect((await run('users.disable', { email: OTHER })).status).toBe(403)
    expect((await run('users.enable', { email: OTHER, confirmation })).status).toBe(200)
    expect(await run('sessions.mint', { email: OTHER, confirmation })).toMatchObject({
      status: 403,
      body: { code: 'forbidden', detail: expect.stringContaining('a minted session mints no other') },
    })
  })

  it('who has no password changes no user over HTTPS', async () => {
    const bare = await add({ email: 'bare@svc.example', passwordHash: undefined })
    cookie = (await served().plane.sessions.mint(bare)).cookie
    expect(await run('users.disable', { email: OTHER, confirmation })).toMatchObject({ status: 409 })
  })

  it('the permission comes first: without it no password is looked at', async () => {
    const viewer = await add({ email: 'viewer@svc.example', role: 'viewer' })
    cookie = (await served().plane.sessions.mint(viewer)).cookie
    for (const sent of [{ email: OTHER }, { email: OTHER, confirmation }])
      expect(await run('users.disable', sent)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  })

  it('on the machine nothing is asked', async () => {
    const { plane } = served()
    expect(await plane.operations.run('sessions.mint', { email: ADMIN }, 'cli:ann@desk')).toMatchObject({
      cookie: expect.any(String),
    })
  })

  it('a user whose email reads like somebody on the machine is not added', async () => {
    for (const email of ['local:ada@svc.example', 'cli:ada@desk'])
      expect((await run('users.add', { email, role: 'viewer', confirmation })).status).toBe(400)
  })
})
