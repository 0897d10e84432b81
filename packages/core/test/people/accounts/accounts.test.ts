import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { SessionCaller } from '@svc/core'
import { IDLE_SECONDS } from '@svc/core/adapters'
import { type TestPlane, testPlane } from '@svc/testing'

const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery'
const NEW_PASSWORD = 'heron gravel violin'

describe('an account of one’s own', () => {
  let test: TestPlane

  beforeEach(async () => {
    test = testPlane()
    await test.plane.users.add({ email: EMAIL, role: 'viewer', tenantId: undefined, password: PASSWORD })
  })
  afterEach(() => test[Symbol.asyncDispose]())

  async function signedIn(email = EMAIL): Promise<SessionCaller & { readonly cookie: string }> {
    const { cookie } = await test.plane.sessions.mint(await test.plane.users.resolve(email))
    const caller = await test.plane.sessions.authenticate(cookie)
    if (caller === undefined) throw new Error('no session')
    return { ...caller, cookie }
  }
  const live = async (cookie: string) => (await test.plane.sessions.authenticate(cookie)) !== undefined

  it('has its password changed with the current one: every session ends, and a fresh one is given', async () => {
    const { accounts, sessions } = test.plane
    const [here, elsewhere] = [await signedIn(), await signedIn()]
    const { cookie } = await accounts.changePassword(here, PASSWORD, NEW_PASSWORD)
    expect([await live(here.cookie), await live(elsewhere.cookie), await live(cookie)]).toEqual([
      false,
      false,
      true,
    ])
    await expect(sessions.login(EMAIL, PASSWORD)).rejects.toMatchObject({ code: 'unauthorized' })
    expect((await sessions.login(EMAIL, NEW_PASSWORD)).user.email).toBe(EMAIL)
  })

  it('keeps its password when the current one is wrong, or the new one too easy to guess', async () => {
    const { accounts, sessions } = test.plane
    const here = await signedIn()
    await expect(accounts.changePassword(here, `${PASSWORD}.`, NEW_PASSWORD)).rejects.toMatchObject({
      code: 'unauthorized',
    })
    await expect(accounts.changePassword(here, PASSWORD, EMAIL)).rejects.toMatchObject({
      code: 'invalid-input',
      data: { details: [expect.stringContaining('too easy to guess')] },
    })
    expect(await live(here.cookie)).toBe(true)
    expect((await sessions.login(EMAIL, PASSWORD)).user.email).toBe(EMAIL)
  })

  it('without a password has none to change or to confirm with: an operator sets the first', async () => {
    const { accounts, users } = test.plane
    const email = 'minted@example.com'
    await users.add({ email, role: 'viewer', tenantId: undefined, password: undefined })
    const here = await signedIn(email)
    const none = { code: 'conflict', data: { detail: expect.stringContaining('an operator sets the first') } }
    for (const current of ['', 'undefined', PASSWORD]) {
      await expect(accounts.changePassword(here, current, NEW_PASSWORD)).rejects.toMatchObject(none)
      await expect(accounts.endSessions(here, current)).rejects.toMatchObject(none)
    }
  })

  it('of two changes at once with the same current password one is made', async () => {
    const { accounts } = test.plane
    const [here, elsewhere] = [await signedIn(), await signedIn()]
    const changes = await Promise.allSettled([
      accounts.changePassword(here, PASSWORD, NEW_PASSWORD),
      accounts.changePassword(elsewhere, PASSWORD, 'copper lantern anvil'),
    ])
    expect(changes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(changes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'conflict' },
    })
  })

  it('shows its live sessions and which of them asks; one that is idle, ended or of others is not there', async () => {
    const { accounts, sessions, users } = test.plane
    await users.add({ email: 'eve@example.com', role: 'viewer', tenantId: undefined, password: undefined })
    await signedIn('eve@example.com')
    await signedIn()
    test.clock.advance({ seconds: IDLE_SECONDS })
    const ended = await signedIn()
    await sessions.logout(ended.digest)
    const elsewhere = await signedIn()
    test.clock.advance({ seconds: 5 })
    const here = await signedIn()
    const listed = await accounts.sessions(here)
    expect(listed.map(({ current }) => current)).toEqual([true, false])
    const text = JSON.stringify(listed)
    // No listed value gives access to a session.
    for (const { cookie, digest } of [here, elsewhere]) {
      expect(text).not.toContain(digest)
      expect(text).not.toContain(cookie.split('.')[1])
    }
    for (const { id } of listed) expect(await live(`svc_session=${id}`)).toBe(false)
  })

  it('has one or all of its other sessions ended with its password, and the one that asks stays', async () => {
    const { accounts, users } = test.plane
    const eve = await users.add({
      email: 'eve@example.com',
      role: 'viewer',
      tenantId: undefined,
      password: undefined,
    })
    const stranger = await signedIn(eve.email)
    const [strangers] = await accounts.sessions(stranger)
    const [phone, laptop, here] = [await signedIn(), await signedIn(), await signedIn()]
    const ids = await accounts.sessions(here)
    const own = ids.find(({ current }) => current)?.id ?? ''
    const idOf = async (caller: SessionCaller) =>
      (await accounts.sessions(caller)).find(({ current }) => current)?.id ?? ''
    const phoneId = await idOf(phone)
    await expect(accounts.endSessions(here, 'a wrong password', phoneId)).rejects.toMatchObject({
      code: 'unauthorized',
    })
    expect(await live(phone.cookie)).toBe(true)
    await expect(accounts.endSessions(here, PASSWORD, own)).rejects.toMatchObject({ code: 'conflict' })
    for (const id of [strangers?.id ?? '', 'nonesuch', ''])
      await expect(accounts.endSessions(here, PASSWORD, id)).rejects.toMatchObject({ code: 'not-found' })
    expect(await accounts.endSessions(here, PASSWORD, phoneId)).toBe(1)
    expect([await live(phone.cookie), await live(laptop.cookie)]).toEqual([false, true])
    expect(await accounts.endSessions(here, PASSWORD)).toBe(1)
    expect([await live(laptop.cookie), await live(here.cookie)]).toEqual([false, true])
    expect(await live(stranger.cookie)).toBe(true)
  })

  it('leaves a line for each change and each refusal: who, and nothing that was typed', async () => {
    const { accounts } = test.plane
    const here = await signedIn()
    await accounts.endSessions(here, 'a wrong password').catch(() => {})
    await accounts.endSessions(here, PASSWORD)
    await accounts.changePassword(here, PASSWORD, NEW_PASSWORD)
    const told = test.log.lines.map(({ message, fields }) => [message, fields.user])
    expect(told).toEqual([
      ['confirmation refused', here.user.id],
      ['own sessions ended', here.user.id],
      ['password changed', here.user.id],
    ])
    for (const typed of [EMAIL, 'a wrong password', PASSWORD, NEW_PASSWORD])
      expect(test.log.text()).not.toContain(typed)
  })
})
