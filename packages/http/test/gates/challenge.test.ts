// Answers with a bearer challenge: a client that heeds `WWW-Authenticate` must not send a key to a route that
// accepts only a cookie.
import { expect, it } from '@jest/globals'
import { ROUTES } from '../../src/index.ts'
import { serving } from '../support/serving.ts'

const served = serving({
  env: { SERVICE_METRICS_TOKEN: 'm'.repeat(32), SERVICE_HEALTH_TOKEN: 'h'.repeat(32) },
})

it('a 401 names the bearer on every route that one opens, and on no other', async () => {
  const asked: Record<string, string | undefined> = {}
  const wanted: Record<string, string | undefined> = {}
  for (const { method, path, gate } of ROUTES) {
    if (gate.security.length === 0) continue
    const { status, headers } = await served().send({ method, path: path.replace(/\{[^}]+\}/, 'x') })
    expect([method, path, status]).toEqual([method, path, 401])
    asked[`${method} ${path}`] = headers['www-authenticate']
    wanted[`${method} ${path}`] = gate.security.join() === 'session' ? undefined : 'Bearer'
  }
  expect(asked).toEqual(wanted)
  expect(new Set(Object.values(wanted))).toEqual(new Set(['Bearer', undefined]))
})

it('a sign-in that is refused asks for no bearer', async () => {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ email: 'nobody@svc.example', password: 'x' })
  const refused = await served().send({ method: 'POST', path: '/login', headers, body })
  expect(refused.status).toBe(401)
  expect(refused.headers).not.toHaveProperty('www-authenticate')
})

it('a query that is not valid is called one, and a body is called a body', async () => {
  expect(await served().get('/api/v1/fleet/alerts?limit=none')).toMatchObject({
    status: 400,
    body: { error: 'invalid query', details: [expect.stringMatching(/^limit: /)] },
  })
  expect(await served().post('/api/v1/fleet/alerts', { action: 'none' })).toMatchObject({
    status: 400,
    body: { error: 'invalid request body' },
  })
})
