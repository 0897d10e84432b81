import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { Passwords } from '@svc/core/ports'
import { type TestPlane, testPlane } from '@svc/testing'

const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery'

describe('users and their sessions', () => {
  let test: TestPlane

  beforeEach(() => {
    test = testPlane()
  })
  afterEach(async () => {
    await test[Symbol.asyncDispose]()
  })

  const add = (fields: object = {}, { plane }: TestPlane = test) =>
    plane.users.add({
      email: EMAIL,
      role: 'operator',
      tenantId: undefined,
      password: PASSWORD,
      ...fields,
    })

  it('signs in with the right password only, whatever the case of the email', async () => {
    const user = await add({ email: ' Ada@Example.com ' })
    const { cookie } = await test.plane.sessions.login('ADA@example.COM', PASSWORD)
    expect((await test.plane.sessions.authenticate(cookie))?.user).toEqual(user)
    await expect(test.plane.sessions.login(EMAIL, `${PASSWORD}.`)).rejects.toMatchObject({
      code: 'unauthorized',
    })
    await expect(test.plane.sessions.login('nobody@example.com', PASSWORD)).rejects.toMatchObject({
      code: 'unauthorized',
    })
  })

  it('a new service has nobody in it', async () => {
    expect(await test.plane.users.list()).toEqual([])
    expect(await test.plane.licenses.list(PLATFORM)).toEqual([])
  })

  it('a long password counts to its last character, whatever its characters, and is kept as scrypt of 2^17', async () => {
    await using real = testPlane({ parts: { passwords: new Passwords() } })
    const long = `${'Grüße 😀 '.repeat(30)}!`
    await add({ password: long }, real)
    expect((await real.storage.users.credentials(EMAIL))?.passwordHash).toMatch(
      /^scrypt\$17\$8\$1\$[\w-]{22}\$[\w-]{43}$/,
    )
    expect((await real.plane.sessions.login(EMAIL, long)).user.email).toBe(EMAIL)
    await expect(real.plane.sessions.login(EMAIL, `${long.slice(0, -1)}?`)).rejects.toThrow()
    await expect(real.plane.sessions.login(EMAIL, long.toUpperCase())).rejects.toThrow()
  })

  it('a user without a password cannot sign in with any, the empty one included', async () => {
    await add({ password: undefined })
    for (const password of ['', 'undefined', PASSWORD]) {
      await expect(test.plane.sessions.login(EMAIL, password)).rejects.toMatchObject({ code: 'unauthorized' })
    }
  })

  it('refuses a role that does not fit and an email that is taken', async () => {
    await expect(add({ role: 'owner' })).rejects.toMatchObject({ code: 'invalid-input' })
    const tenant = await test.plane.tenants.add('Acme')
    await expect(add({ role: 'super_admin', tenantId: tenant.id })).rejects.toMatchObject({
      code: 'invalid-input',
    })
    await add()
    await expect(add()).rejects.toMatchObject({ code: 'conflict' })
  })

  it('a new password ends what was open and lets the new one in', async () => {
    await add()
    const { cookie } = await test.plane.sessions.login(EMAIL, PASSWORD)
    await test.plane.users.setPassword(EMAIL, 'another long password')
    expect(await test.plane.sessions.authenticate(cookie)).toBeUndefined()
    await expect(test.plane.sessions.login(EMAIL, PASSWORD)).rejects.toMatchObject({ code: 'unauthorized' })
    expect((await test.plane.sessions.login(EMAIL, 'another long password')).user.email).toBe(EMAIL)
  })

  it('a password that is too easy to guess is refused wherever one is set, and changes nothing', async () => {
    const { plane } = test
    const tenant = await plane.tenants.add('Difference Works')
    const weak = { code: 'invalid-input', data: { details: [expect.stringContaining('too easy to guess')] } }
    await expect(add({ password: 'password1234' })).rejects.toMatchObject(weak)
    const member = { role: 'owner', tenantId: tenant.id, password: 'differenceworks1' }
    await expect(add(member)).rejects.toMatchObject(weak)
    expect(await plane.users.list()).toEqual([])
    await add()
    const { cookie } = await plane.sessions.login(EMAIL, PASSWORD)
    await expect(plane.users.setPassword(EMAIL, 'ada@example.com')).rejects.toMatchObject(weak)
    const input = { email: EMAIL, password: 'qwertyuiop12' }
    await expect(plane.operations.run('users.set-password', input, 'cli:test')).rejects.toMatchObject(weak)
    expect(await plane.sessions.authenticate(cookie)).toBeDefined()
    expect((await plane.sessions.login(EMAIL, PASSWORD)).user.email).toBe(EMAIL)
  })

  it('a barred user is nobody at once', async () => {
    const user = await add()
    const { cookie } = await test.plane.sessions.mint(user)
    await test.plane.users.setDisabled(EMAIL, true)
    expect(await test.plane.sessions.authenticate(cookie)).toBeUndefined()
    await expect(test.plane.sessions.login(EMAIL, PASSWORD)).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('signing in anew ends the session that came along, and no other', async () => {
    const { sessions } = test.plane
    const user = await add()
    const [former, elsewhere] = [await sessions.mint(user), await sessions.mint(user)]
    const { cookie } = await sessions.login(EMAIL, PASSWORD, former.cookie)
    expect(await sessions.authenticate(former.cookie)).toBeUndefined()
    for (const live of [cookie, elsewhere.cookie]) expect(await sessions.authenticate(live)).toBeDefined()
  })

  it('every sign-in leaves a line with who and its outcome, and nothing that was typed', async () => {
    const user = await add()
    await test.plane.sessions.login(EMAIL, PASSWORD)
    await expect(test.plane.sessions.login(EMAIL, 'a wrong password')).rejects.toThrow()
    await expect(test.plane.sessions.login('hunter2@example.com', PASSWORD)).rejects.toThrow()
    const told = test.log.lines.filter(({ message }) => message.startsWith('sign'))
    expect(told.map(({ message, fields }) => [message, fields.user])).toEqual([
      ['signed in', user.id],
      ['sign-in refused', user.id],
      ['sign-in refused', 'unknown'],
    ])
    for (const typed of [EMAIL, PASSWORD, 'a wrong password', 'hunter2'])
      expect(test.log.text()).not.toContain(typed)
  })

  it('logout ends this session and no other', async () => {
    const user = await add()
    const [first, second] = [await test.plane.sessions.mint(user), await test.plane.sessions.mint(user)]
    const caller = await test.plane.sessions.authenticate(first.cookie)
    expect(await test.plane.sessions.logout(caller?.digest ?? '')).toMatch(/^svc_session=; .*Max-Age=0/)
    expect(await test.plane.sessions.authenticate(first.cookie)).toBeUndefined()
    expect(await test.plane.sessions.authenticate(second.cookie)).toBeDefined()
  })

  it('an operation leaves an audit row without the password', async () => {
    const input = { email: EMAIL, role: 'viewer', password: PASSWORD }
    await test.plane.operations.run('users.add', input, 'cli:test')
    const [row] = await test.storage.audit.list(1)
    expect(row).toMatchObject({ operation: 'users.add', actor: 'cli:test', outcome: 'ok' })
    expect(JSON.stringify(row)).not.toContain(PASSWORD)
  })
})

describe('sessions without a secret', () => {
  it('are closed in production: no cookie holds and nobody signs in', async () => {
    await using open = testPlane()
    await using closed = testPlane({ env: { SERVICE_SESSION_SECRET: undefined } })
    const user = await open.plane.users.add({
      email: EMAIL,
      role: 'viewer',
      tenantId: undefined,
      password: undefined,
    })
    const { cookie } = await open.plane.sessions.mint(user)
    expect(await closed.plane.sessions.authenticate(cookie)).toBeUndefined()
    await expect(closed.plane.sessions.login(EMAIL, PASSWORD)).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('have one of their own in development', async () => {
    await using test = testPlane({ env: { SERVICE_SESSION_SECRET: undefined, NODE_ENV: undefined } })
    const user = await test.plane.users.add({
      email: EMAIL,
      role: 'viewer',
      tenantId: undefined,
      password: undefined,
    })
    const { cookie } = await test.plane.sessions.mint(user)
    expect(await test.plane.sessions.authenticate(cookie)).toBeDefined()
  })
})
