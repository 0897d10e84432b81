import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { Sent } from '../../../../test/support/exchange.ts'
import { memoryGlass } from './contents.ts'
import { SECRETS } from './secrets.ts'
import { stagedWorld, type World } from './world.ts'

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('API tokens over HTTPS', () => {
  let world: World
  beforeEach(async () => {
    world = await stagedWorld(memoryGlass)
  })
  afterEach(async () => world[Symbol.asyncDispose]())

  const run = (name: string, input: object, headers: NonNullable<Sent['headers']>) =>
    world.send({ method: 'POST', path: `/api/v1/operations/${name}`, headers, body: JSON.stringify(input) })
  const idOf = async (label: string) =>
    (await world.plane.apiTokens.list()).find((each) => each.label === label)?.id ?? ''

  it('stand in the audit log by their id, in what went well and in what was refused', async () => {
    const own = { kind: 'prune', license: world.own.licenseId }
    expect(await run('jobs.enqueue', own, bearer(world.tokens.operator))).toMatchObject({ status: 200 })
    expect(await run('licenses.issue', {}, bearer(world.tokens.operator))).toMatchObject({ status: 403 })
    const actor = `token:${await idOf('of operator')}`
    const [refused, done] = await world.storage.audit.list(2)
    expect(done).toMatchObject({ actor, operation: 'jobs.enqueue', outcome: 'ok' })
    expect(refused).toMatchObject({ actor, operation: 'licenses.issue', outcome: 'forbidden' })
  })

  it('are named by what they acknowledge', async () => {
    const { body } = await run('alerts.ack', { id: world.own.alert }, bearer(world.tokens.operator))
    expect(body).toMatchObject({ alert: { acknowledged_by: `token:${await idOf('of operator')}` } })
  })

  it('make no token, no session and no user, and end none, whatever password is sent with them', async () => {
    const confirmation = { current: SECRETS.password }
    const email = world.spare.email
    const inputs = {
      'tokens.issue': { role: 'viewer' },
      'tokens.revoke': { token: world.spare.token },
      'sessions.mint': { email },
      'sessions.revoke': { email },
      'users.add': { email: 'new@svc.example', role: 'viewer' },
      'users.set-password': { email, password: SECRETS.newPassword },
      'users.set-role': { email, role: 'super_admin' },
      'users.disable': { email },
      'users.enable': { email },
      'users.reset-second-factor': { email },
    }
    for (const [name, input] of Object.entries(inputs))
      for (const more of [{}, { confirmation }])
        expect([name, await run(name, { ...input, ...more }, bearer(world.tokens.admin))]).toMatchObject([
          name,
          { status: 403, body: { detail: `${name} is for people, not for API tokens` } },
        ])
    const path = '/api/v1/operations'
    const { body } = await world.send({ path, headers: bearer(world.tokens.admin) })
    const names = (body as { operations: readonly { name: string }[] }).operations.map(({ name }) => name)
    expect(names.filter((name) => name in inputs)).toEqual([])
    expect(names).toContain('users.list')
  })

  it('decide for themselves, whatever session comes with them', async () => {
    const cookie = world.cookies.admin
    const issued = (token: string) => run('licenses.issue', {}, { ...bearer(token), cookie })
    expect(await issued(world.tokens.admin)).toMatchObject({ status: 200 })
    expect(await issued(world.tokens.reader)).toMatchObject({ status: 403 })
    expect(await issued(world.tokens.revoked)).toMatchObject({ status: 401 })
    const path = '/account/sessions'
    expect(await world.send({ path, headers: bearer(world.tokens.admin) })).toMatchObject({ status: 401 })
  })

  it('are refused on behalf of another site, as sessions are', async () => {
    const headers = { ...bearer(world.tokens.admin), origin: 'https://elsewhere.example' }
    expect(await run('jobs.list', {}, headers)).toMatchObject({ status: 403 })
  })

  it('are good with the request before their revocation, and over with the next', async () => {
    expect(await run('jobs.list', {}, bearer(world.tokens.reader))).toMatchObject({ status: 200 })
    const token = await idOf('of viewer')
    expect(await run('tokens.revoke', { token }, { cookie: world.cookies.admin })).toMatchObject({
      status: 200,
    })
    expect(await run('jobs.list', {}, bearer(world.tokens.reader))).toMatchObject({ status: 401 })
  })

  it('show when they were last used, to the minute', async () => {
    const seen = async () => {
      const { body } = await run('tokens.list', {}, { cookie: world.cookies.admin })
      const { tokens } = body as { tokens: readonly { label: string; last_used_at?: number }[] }
      return tokens.find(({ label }) => label === 'of operator')?.last_used_at
    }
    const first = await seen()
    world.clock.advance({ seconds: 60 })
    await run('jobs.list', {}, bearer(world.tokens.operator))
    expect(await seen()).toBe(first)
    world.clock.advance({ seconds: 1 })
    await run('jobs.list', {}, bearer(world.tokens.operator))
    expect(await seen()).toBe((first ?? 0) + 61)
  })

  it('that are bad are limited by address, and good ones are not counted', async () => {
    const from = (token: string) => ({ ...bearer(token), 'x-forwarded-for': '198.51.100.7' })
    const statuses = new Set<number>()
    const bad = async () => (await run('jobs.list', {}, from(world.tokens.revoked))).status
    for (let tried = 0; tried < 120; tried += 1) statuses.add(await bad())
    expect([...statuses]).toEqual([401])
    expect(await bad()).toBe(429)
    expect(await run('jobs.list', {}, from(world.tokens.reader))).toMatchObject({ status: 200 })
  })

  it('are no guess at the secret of the system check', async () => {
    const path = '/api/health/system'
    const asked = (token: string) =>
      world.send({ path, headers: { ...bearer(token), 'x-forwarded-for': '198.51.100.8' } })
    for (let tried = 0; tried < 11; tried += 1) expect((await asked(world.tokens.revoked)).status).toBe(401)
    expect((await asked(world.tokens.admin)).status).toBe(200)
    expect((await asked(world.tokens.operator)).status).toBe(403)
  })
})
