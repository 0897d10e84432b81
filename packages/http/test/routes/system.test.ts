import { describe, expect, it } from '@jest/globals'
import type { SystemReport } from '@svc/core'
import { serving } from '../support/serving.ts'

const TOKEN = 'a-health-token-that-tests-may-know'
const PATH = '/api/health/system'
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('GET /api/health/system', () => {
  const served = serving({ env: { SERVICE_HEALTH_TOKEN: TOKEN } })
  const ask = (headers: Readonly<Record<string, string>> = {}) => served().send({ path: PATH, headers })

  async function cookieOf(role: string, tenantId?: string) {
    const { users, sessions } = served().plane
    const email = `${role}@example.com`
    return (await sessions.mint(await users.add({ email, role, tenantId, password: undefined }))).cookie
  }

  it('gives the report to who holds the token, and keeps none', async () => {
    const { status, headers, body } = await ask(bearer(TOKEN))
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('no-store')
    expect(Object.keys(body as object)).toEqual(['ok', 'checked_at', 'duration_ms', 'version', 'checks'])
    const { checks } = body as SystemReport
    expect(checks.find(({ name }) => name === 'database')).toEqual({
      name: 'database',
      status: 'warn',
      latency_ms: expect.any(Number),
      detail: 'in-memory',
    })
  })

  it('gives it to a session with platform.admin, also beside a bearer that is not the token', async () => {
    const cookie = await cookieOf('super_admin')
    expect((await ask({ cookie })).status).toBe(200)
    expect((await ask({ cookie, ...bearer('something-else') })).status).toBe(200)
  })

  it('looks twelve times a minute for one person, and for another all the same', async () => {
    const { users, sessions } = served().plane
    const [one, other] = await Promise.all(
      ['one', 'other'].map(async (name) => {
        const email = `${name}@example.com`
        const user = await users.add({ email, role: 'super_admin', tenantId: undefined, password: undefined })
        return (await sessions.mint(user)).cookie
      }),
    )
    for (let sent = 0; sent < 12; sent += 1) expect((await ask({ cookie: one ?? '' })).status).toBe(200)
    expect((await ask({ cookie: one ?? '' })).status).toBe(429)
    expect((await ask({ cookie: other ?? '' })).status).toBe(200)
  })

  it('401 without either, 403 for a session that lacks the permission', async () => {
    const refused = { status: 401, body: { error: 'unauthorized' } }
    expect(await ask()).toMatchObject(refused)
    expect(await ask(bearer('something-else'))).toMatchObject(refused)
    expect(await ask(bearer(served().key))).toMatchObject(refused)
    expect(await ask({ cookie: 'svc_session=v1.x.y' })).toMatchObject(refused)
    const forbidden = { status: 403, body: { error: 'forbidden' } }
    for (const role of ['operator', 'support', 'viewer']) {
      expect(await ask({ cookie: await cookieOf(role) })).toMatchObject(forbidden)
    }
    const { id } = await served().plane.tenants.add('Acme')
    expect(await ask({ cookie: await cookieOf('owner', id) })).toMatchObject(forbidden)
  })

  it('is 200 when a check fails too: it is no probe', async () => {
    await served().plane.scheduler.tick()
    served().clock.advance({ days: 1 })
    const { status, body } = await ask(bearer(TOKEN))
    expect({ status, ok: (body as SystemReport).ok }).toEqual({ status: 200, ok: false })
  })

  it('looks anew each time', async () => {
    const one = ((await ask(bearer(TOKEN))).body as SystemReport).checked_at
    served().clock.advance({ seconds: 1 })
    expect(((await ask(bearer(TOKEN))).body as SystemReport).checked_at).toBe(one + 1)
  })
})

describe('GET /api/health/system without a token in the settings', () => {
  const served = serving()

  it('is closed to every bearer, the empty one too', async () => {
    for (const authorization of ['Bearer ', 'Bearer undefined', 'Bearer null', '']) {
      expect((await served().send({ path: PATH, headers: { authorization } })).status).toBe(401)
    }
    expect((await served().send({ path: PATH })).status).toBe(401)
  })
})
