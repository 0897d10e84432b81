import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { Storage } from '@svc/core'
import type { MintedSession, User } from '@svc/core/ports'
import {
  buildUser,
  FakeClock,
  memoryStorage,
  oneTimeCode,
  pgliteStorage,
  postgresStorage,
  quickPasswordHash,
  type TestPlane,
  testPlane,
} from '@svc/testing'
import { POSTGRES, SERVER } from '../../platform/storage/backends.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery'
const REFUSED = { code: 'unauthorized', data: {} }
const WRONG = { code: 'unauthorized' }

const BACKENDS: readonly (readonly [string, (clock: FakeClock) => Promise<Storage>])[] = [
  ['memory', async (clock) => memoryStorage(clock)],
  ['PGlite', () => pgliteStorage()],
  [POSTGRES, () => postgresStorage(SERVER)],
]

describe.each(BACKENDS)('a second factor on %s', (_name, open) => {
  const clock = new FakeClock()
  let people = 0
  let email: string
  let test: TestPlane
  let user: User
  let own: MintedSession

  beforeAll(async () => {
    test = testPlane({
      clock,
      storage: await open(clock),
      env: { SERVICE_PUBLIC_URL: 'https://svc.example' },
    })
  })
  afterAll(() => test[Symbol.asyncDispose]())
  // Each test has its own person on the one plane: opening a storage for each takes longer than the test.
  beforeEach(async () => {
    test.log.lines.length = 0
    people += 1
    email = `ada-${people}@example.com`
    await test.storage.users.add(buildUser({ email, passwordHash: quickPasswordHash(PASSWORD) }))
    user = await test.plane.users.resolve(email)
    own = await test.plane.sessions.mint(user)
  }, 60_000)

  const digestOf = async (session = own) =>
    (await test.plane.sessions.authenticate(session.cookie))?.digest ?? ''
  const codeOf = (secret: string, steps = 0) =>
    oneTimeCode(secret, new Date(test.clock.now().getTime() + steps * 30_000))
  const login = (code?: string, password = PASSWORD) =>
    test.plane.sessions.login(email, password, undefined, code)
  const nextStep = () => test.clock.advance({ seconds: 30 })

  /**
   * Enrols the user; returns the secret and the recovery codes. The step of the code that confirmed it is
   * over.
   */
  async function enrolled() {
    const { secret } = await test.plane.secondFactors.begin(user, PASSWORD)
    const codes = await test.plane.secondFactors.confirm(user, codeOf(secret), await digestOf())
    nextStep()
    return { secret, codes }
  }

  it('is asked of nobody who has none, and a code that is brought all the same does no harm', async () => {
    expect((await login()).user).toEqual(user)
    expect((await login('123456')).user).toEqual(user)
    expect((await login('')).user).toEqual(user)
  })

  it('counts for nothing until its first code came; then a sign-in needs the password and a code', async () => {
    const { secret, uri } = await test.plane.secondFactors.begin(user, PASSWORD)
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(uri).toContain(
      `otpauth://totp/svc.example:${encodeURIComponent(email)}?issuer=svc.example&secret=${secret}`,
    )
    await login()
    await expect(
      test.plane.secondFactors.confirm(user, codeOf(secret, 5), await digestOf()),
    ).rejects.toMatchObject(WRONG)
    await login()
    const codes = await test.plane.secondFactors.confirm(user, codeOf(secret), await digestOf())
    expect(new Set(codes).size).toBe(10)
    nextStep()
    for (const code of [undefined, '', '12345', codeOf(secret, 5), codes[0]?.slice(1)]) {
      await expect(login(code)).rejects.toMatchObject(REFUSED)
    }
    await expect(login(codeOf(secret), `${PASSWORD}.`)).rejects.toMatchObject(REFUSED)
    const spaced = codeOf(secret).replace(/^.../, '$& ')
    expect((await login(spaced)).user).toEqual(user)
  })

  it('a code is used once: not again, not after a later one, and not after it confirmed', async () => {
    const { secret } = await test.plane.secondFactors.begin(user, PASSWORD)
    const first = codeOf(secret)
    await test.plane.secondFactors.confirm(user, first, await digestOf())
    await expect(login(first)).rejects.toMatchObject(REFUSED)
    nextStep()
    const [present, ahead] = [codeOf(secret), codeOf(secret, 1)]
    await login(ahead)
    for (const used of [ahead, present]) await expect(login(used)).rejects.toMatchObject(REFUSED)
    nextStep()
    nextStep()
    const behind = codeOf(secret, -1)
    // `behind` belongs to the step that was used ahead of its time, or to a later one.
    await login(codeOf(secret))
    await expect(login(behind)).rejects.toMatchObject(REFUSED)
  })

  it('a code of the step before counts, one from before that does not', async () => {
    const { secret } = await enrolled()
    const code = codeOf(secret)
    nextStep()
    nextStep()
    await expect(login(code)).rejects.toMatchObject(REFUSED)
    await login(codeOf(secret, -1))
  })

  it('a wrong password uses no code up', async () => {
    const { secret, codes } = await enrolled()
    for (const code of [codeOf(secret), codes[3]]) {
      await expect(login(code, 'a wrong password')).rejects.toMatchObject(REFUSED)
      await login(code)
    }
  })

  it('two at once with one code sign in once, with a recovery code too', async () => {
    const { secret, codes } = await enrolled()
    for (const code of [codeOf(secret), codes[0]]) {
      const tries = await Promise.allSettled([login(code), login(code)])
      expect(tries.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    }
  })

  it('each recovery code signs in once, however it is typed, and no other does', async () => {
    const { codes } = await enrolled()
    const [one = '', two = ''] = codes
    await login(` ${one.toUpperCase().replaceAll('-', ' ')}`)
    await expect(login(one)).rejects.toMatchObject(REFUSED)
    await login(two)
    const { factor } = await test.storage.secondFactors.find(user.id)
    expect(factor?.recovery).toHaveLength(8)
  })

  it('confirming it ends the other sessions', async () => {
    const other = await test.plane.sessions.mint(user)
    await enrolled()
    expect(await test.plane.sessions.authenticate(own.cookie)).toBeDefined()
    expect(await test.plane.sessions.authenticate(other.cookie)).toBeUndefined()
  })

  it('what waits is replaced by the next, and is over after ten minutes', async () => {
    const { begin, confirm } = {
      begin: () => test.plane.secondFactors.begin(user, PASSWORD),
      confirm: async (code: string) => test.plane.secondFactors.confirm(user, code, await digestOf()),
    }
    const [first, second] = [await begin(), await begin()]
    await expect(confirm(codeOf(first.secret))).rejects.toMatchObject(WRONG)
    test.clock.advance({ seconds: 600 })
    await expect(confirm(codeOf(second.secret))).rejects.toMatchObject({ code: 'conflict' })
    const third = await begin()
    test.clock.advance({ seconds: 599 })
    expect(await confirm(codeOf(third.secret))).toHaveLength(10)
    await expect(confirm(codeOf(third.secret))).rejects.toMatchObject({ code: 'conflict' })
    await expect(begin()).rejects.toMatchObject({ code: 'conflict' })
  })

  it('is begun and removed with the password alone, and removed with a code besides', async () => {
    const { secondFactors } = test.plane
    await expect(secondFactors.begin(user, 'a wrong password')).rejects.toMatchObject(WRONG)
    await expect(secondFactors.remove(user, PASSWORD, '123456')).rejects.toMatchObject({ code: 'conflict' })
    const { secret, codes } = await enrolled()
    for (const [password, code] of [
      ['a wrong password', codeOf(secret)],
      [PASSWORD, codeOf(secret, 5)],
      [PASSWORD, ''],
    ] as const) {
      await expect(secondFactors.remove(user, password, code)).rejects.toMatchObject(WRONG)
    }
    await login(codeOf(secret))
    await expect(secondFactors.remove(user, PASSWORD, codeOf(secret))).rejects.toMatchObject(WRONG)
    await secondFactors.remove(user, PASSWORD, codes[9] ?? '')
    await login()
  })

  it('is nothing for people without a password', async () => {
    const made = buildUser({ email: `minted-${email}` })
    await test.storage.users.add(made)
    const minted = await test.plane.users.resolve(made.email)
    await expect(test.plane.secondFactors.begin(minted, PASSWORD)).rejects.toMatchObject({ code: 'conflict' })
  })

  it('a lost one is taken away by an operator, who ends the sessions and may do so again', async () => {
    await enrolled()
    const reset = () => test.plane.operations.run('users.reset-second-factor', { email }, 'ann')
    const shown = async () => {
      const { users } = await test.plane.operations.run('users.list', {}, 'ann')
      return users.filter((each) => each.email === email)
    }
    expect(await shown()).toMatchObject([{ email, second_factor: true }])
    expect(await reset()).toMatchObject({ user: { email }, removed: true })
    expect(await shown()).toEqual([expect.not.objectContaining({ second_factor: expect.anything() })])
    expect(await test.plane.sessions.authenticate(own.cookie)).toBeUndefined()
    await login()
    expect(await reset()).toMatchObject({ removed: false })
    expect(await test.storage.audit.list(2)).toMatchObject([
      { operation: 'users.reset-second-factor', actor: 'ann', input: { email }, outcome: 'ok' },
      { operation: 'users.reset-second-factor' },
    ])
    const nobody = { email: 'nobody@example.com' }
    await expect(test.plane.operations.run('users.reset-second-factor', nobody, 'ann')).rejects.toMatchObject(
      {
        code: 'not-found',
      },
    )
  })

  it('a minted session needs none: it is for whoever is on the machine', async () => {
    await enrolled()
    const { cookie } = await test.plane.sessions.mint(user)
    expect((await test.plane.sessions.authenticate(cookie))?.user).toEqual(user)
  })

  it('the log says who and why, and neither it nor an audit row holds a secret or a code', async () => {
    const { secret, codes } = await enrolled()
    const typed = [codeOf(secret), codeOf(secret, 5), codes[0] ?? '']
    await expect(login(typed[1])).rejects.toThrow()
    await expect(login(undefined, 'a wrong password')).rejects.toThrow()
    await login(typed[0])
    await login(typed[2])
    await expect(test.plane.secondFactors.remove(user, PASSWORD, typed[0] ?? '')).rejects.toThrow()
    const told = test.log.lines.filter(({ message }) => /^(?:sign|second)/.test(message))
    expect(told.map(({ message, fields }) => [message, fields.user, fields.reason])).toEqual([
      ['second factor added', user.id, undefined],
      ['sign-in refused', user.id, 'second factor'],
      ['sign-in refused', user.id, 'password'],
      ['signed in', user.id, undefined],
      ['signed in', user.id, undefined],
      ['second factor refused', user.id, undefined],
    ])
    const said = test.log.text() + JSON.stringify(await test.storage.audit.list(100))
    for (const each of [secret, ...typed, ...codes])
      expect([each, said.includes(each)]).toEqual([each, false])
    const { factor } = await test.storage.secondFactors.find(user.id)
    for (const code of codes) expect(JSON.stringify(factor)).not.toContain(code)
  })
})

it('a sign-in does the same work for unknown people, wrong passwords and missing codes', async () => {
  const clock = new FakeClock()
  const calls: string[] = []
  const counted = <T extends object>(store: T, name: string): T =>
    new Proxy(store, {
      get: (target, key) => {
        const method = Reflect.get(target, key)
        if (typeof method !== 'function') return method
        return (...given: unknown[]) => {
          calls.push(`${name}.${String(key)}`)
          return method.apply(target, given)
        }
      },
    })
  const storage = memoryStorage(clock)
  const watched = {
    ...storage,
    users: counted(storage.users, 'users'),
    secondFactors: counted(storage.secondFactors, 'secondFactors'),
    sessions: counted(storage.sessions, 'sessions'),
  }
  await using test = testPlane({ clock, storage: watched })
  for (const email of [EMAIL, 'bare@example.com'])
    await storage.users.add(buildUser({ email, passwordHash: quickPasswordHash(PASSWORD) }))
  const user = await test.plane.users.resolve(EMAIL)
  const { secret } = await test.plane.secondFactors.begin(user, PASSWORD)
  const code = (at: number) => oneTimeCode(secret, new Date(at))
  await test.plane.secondFactors.confirm(user, code(clock.now().getTime()), '')
  const wrong = code(clock.now().getTime() + 3_600_000)
  const seen = []
  for (const [email, password, given] of [
    ['nobody@example.com', PASSWORD, undefined],
    [EMAIL, 'a wrong password', undefined],
    [EMAIL, 'a wrong password', wrong],
    ['bare@example.com', 'a wrong password', wrong],
    [EMAIL, PASSWORD, undefined],
    [EMAIL, PASSWORD, wrong],
    [EMAIL, PASSWORD, code(clock.now().getTime())],
  ] as const) {
    calls.length = 0
    const refusal = await test.plane.sessions.login(email, password, undefined, given).catch((error) => error)
    seen.push([refusal.code, refusal.data, [...calls]])
  }
  const same = ['unauthorized', {}, ['users.credentials', 'secondFactors.find', 'secondFactors.spend']]
  expect(seen).toEqual(seen.map(() => same))
})
