import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { CliBench } from '../support/cli-bench.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery'

describe('svc users and svc sessions', () => {
  let bench: CliBench

  beforeEach(async () => {
    bench = await CliBench.open()
  })
  afterEach(() => bench[Symbol.asyncDispose]())

  async function typed(secrets: readonly string[], isTty: boolean, ...args: readonly string[]) {
    const { io, ended } = bench.start(args, { secrets, isTty })
    await ended
    return io
  }

  it('a user is added, listed, changed and barred', async () => {
    expect(await bench.json('users', 'add', EMAIL, '--role', 'operator')).toMatchObject({
      user: { email: EMAIL, role: 'operator', permissions: expect.arrayContaining(['platform.deploy']) },
    })
    expect(await bench.json('users', 'set-role', EMAIL, 'viewer')).toMatchObject({ user: { role: 'viewer' } })
    expect(await bench.json('users', 'disable', EMAIL)).toMatchObject({
      user: { disabled_at: expect.any(Number) },
    })
    expect(await bench.json('users', 'enable', EMAIL)).not.toHaveProperty('user.disabled_at')
    expect(await bench.json('users', 'list')).toMatchObject({ users: [{ email: EMAIL }] })
    expect((await bench.run('users', 'list')).out.text).toMatch(/EMAIL +ROLE +TENANT +STATE/)
  })

  it('a user of a tenant has a role of tenants', async () => {
    await bench.run('tenants', 'add', 'acme')
    expect(await bench.json('users', 'add', EMAIL, '--role', 'owner', '--tenant', 'acme')).toMatchObject({
      user: { role: 'owner', tenant_id: expect.stringMatching(/^ten_/) },
    })
    const wrong = await bench.run('users', 'add', 'eve@example.com', '--role', 'owner')
    expect(wrong).toMatchObject({ exitCode: 2 })
    expect(wrong.err.text).toContain('expected one of super_admin, operator, support, viewer')
    expect((await bench.run('users', 'add', EMAIL, '--role', 'viewer')).exitCode).toBe(1)
  })

  it('a password comes from standard input, twice at a terminal, and lets the user in', async () => {
    await typed([PASSWORD], false, 'users', 'add', EMAIL, '--role', 'operator', '--password-stdin')
    expect((await bench.plane.sessions.login(EMAIL, PASSWORD)).user.email).toBe(EMAIL)
    const changed = await typed(
      ['another password', 'another password'],
      true,
      'users',
      'set-password',
      EMAIL,
    )
    expect(changed).toMatchObject({ exitCode: 0 })
    expect((await bench.plane.sessions.login(EMAIL, 'another password')).user.email).toBe(EMAIL)
    const differs = await typed(
      ['one long password', 'two long password'],
      true,
      'users',
      'set-password',
      EMAIL,
    )
    expect(differs.exitCode).toBe(2)
    expect(differs.err.text).toContain('the two passwords differ')
    expect((await typed([], false, 'users', 'set-password', EMAIL)).err.text).toContain('no password came')
    expect((await typed(['short'], false, 'users', 'set-password', EMAIL)).exitCode).toBe(2)
  })

  it('a password that is too easy to guess is refused with what to do, and not repeated', async () => {
    const added = await typed(
      ['password1234'],
      false,
      'users',
      'add',
      EMAIL,
      '--role',
      'operator',
      '--password-stdin',
    )
    expect(added).toMatchObject({ exitCode: 2 })
    expect(added.err.text).toMatch(
      /password: too easy to guess, .*known from breaches: take four random words/,
    )
    expect(added.err.text).not.toContain('password1234')
    expect(await bench.plane.users.list()).toEqual([])
    await bench.run('users', 'add', EMAIL, '--role', 'operator')
    const set = await typed(['ada@example.com'], false, 'users', 'set-password', EMAIL)
    expect(set).toMatchObject({ exitCode: 2 })
    expect(set.err.text).toContain('words of this account')
    await expect(bench.plane.sessions.login(EMAIL, 'ada@example.com')).rejects.toMatchObject({
      code: 'unauthorized',
    })
  })

  it('a lost second factor is shown and taken away', async () => {
    await bench.run('users', 'add', EMAIL, '--role', 'operator')
    const { id } = await bench.plane.users.resolve(EMAIL)
    const { secondFactors } = bench.plane.storage
    await secondFactors.begin(id, 'SECRET')
    await secondFactors.confirm({ userId: id, secret: 'SECRET', step: 1, recovery: [], keptSession: '' })
    expect(await bench.json('users', 'list')).toMatchObject({
      users: [{ email: EMAIL, second_factor: true }],
    })
    expect((await bench.run('users', 'list')).out.text).toMatch(/SECOND FACTOR.*\n.* yes /)
    const reset = ['users', 'reset-second-factor', EMAIL]
    expect(await bench.json(...reset)).toMatchObject({ user: { email: EMAIL }, removed: true })
    expect(await bench.json('users', 'list')).not.toHaveProperty('users.0.second_factor')
    const again = await bench.run(...reset)
    expect(again).toMatchObject({ exitCode: 0 })
    expect(again.err.text).toContain(`${EMAIL} had no second factor`)
  })

  it('a minted cookie stands alone on stdout and ends with its revocation', async () => {
    await bench.run('users', 'add', EMAIL, '--role', 'super_admin')
    const { out } = await bench.run('sessions', 'mint', EMAIL)
    expect(out.text).toMatch(/^svc_session=v1\.[\w-]{43}\.[\w-]{43}\n$/)
    expect((await bench.plane.sessions.authenticate(out.text.trim()))?.user.email).toBe(EMAIL)
    expect(await bench.json('sessions', 'mint', EMAIL)).toEqual({
      cookie: expect.stringMatching(/^svc_session=v1\./),
      expires: expect.stringMatching(/^2026-01-05T21:00:00/),
    })
    expect((await bench.run('sessions', 'revoke', EMAIL)).out.text).toBe('2 sessions ended\n')
    expect(await bench.plane.sessions.authenticate(out.text.trim())).toBeUndefined()
    expect((await bench.run('sessions', 'mint', 'nobody@example.com')).exitCode).toBe(5)
  })
})
