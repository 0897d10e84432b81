// Inputs that the fuzzer found: each of these caused a 500 or shut out another client.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { pgliteStorage } from '@svc/testing'
import { type Mounted, mounted } from '../../test/support/mounted.ts'

let served: Mounted
let cookie: string
beforeAll(async () => {
  served = await mounted(undefined, { storage: await pgliteStorage() })
  const email = 'ada@example.com'
  const user = await served.plane.users.add({
    email,
    role: 'super_admin',
    tenantId: undefined,
    password: undefined,
  })
  cookie = (await served.plane.sessions.mint(user)).cookie
})
afterAll(async () => {
  expect(served.log.messages('error')).toEqual([])
  await served[Symbol.asyncDispose]()
})

const INVALID = { status: 400, body: { error: 'invalid request body' } }

describe('a value whose text cannot be made', () => {
  it.each([
    ['/v1/license/activate', '[{"toString":"x"}]', 'expected an object'],
    ['/v1/jobs/claim', '[{"toString":1,"valueOf":2}]', 'expected an object'],
    [
      '/v1/telemetry/heartbeat',
      '{"fingerprint":"f","backup_health":[{"toString":1}]}',
      'backup_health: expected an object',
    ],
    ['/v1/jobs/j/logs', '{"lines":[[{"toString":1}]]}', 'lines.0: expected an object'],
    ['/api/chat', '[{"toString":1}]', 'expected an object'],
  ])('%s %s: 400', async (path, body, detail) => {
    const answer = await served.post(path, body)
    expect(answer).toMatchObject({ ...INVALID, body: { details: [detail] } })
  })
})

describe('NUL where no statement takes it', () => {
  it.each(['/api/deploy/%00/logs', '/api/deploy/dep_%00x/logs'])(
    '%s: there is no such thing',
    async (path) => {
      const answer = await served.send({ path, headers: { cookie } })
      expect(answer).toMatchObject({ status: 404, body: { error: 'not found' } })
    },
  )

  it.each([
    ['application/json', '{"email":"\\ud800@x","password":"x"}'],
    ['application/x-www-form-urlencoded', 'email=a%00@x&password=x'],
  ])('a sign-in by %s of %s: nobody has that name', async (type, body) => {
    const sent = { method: 'POST', path: '/login', headers: { 'content-type': type }, body }
    expect(await served.send(sent)).toMatchObject({ status: 401 })
  })

  it('in a body of JSON it is refused, where it stands', async () => {
    const body = '{"email":"a\\u0000@x","password":"x"}'
    const sent = { method: 'POST', path: '/login', headers: { 'content-type': 'application/json' }, body }
    const details = ['email: expected a text without NUL']
    expect(await served.send(sent)).toMatchObject({ status: 400, body: { details } })
  })

  it('in a query it finds nothing', async () => {
    expect(await served.get('/v1/fleet/backups?host=%00')).toMatchObject({
      status: 200,
      body: { backups: [] },
    })
    expect(await served.send({ path: '/api/chat?conversationId=%00&sessionId=%00&after=%00' })).toMatchObject(
      {
        status: 200,
        body: { messages: [] },
      },
    )
  })
})

it('a lone surrogate in the payload of a job is stored as U+FFFD, and in the audit log too', async () => {
  const input = `{"license":"${served.key}","kind":"prune","payload":{"note":"\\ud800"}}`
  const headers = { cookie }
  const answer = await served.post('/api/v1/operations/jobs.enqueue', input, headers)
  expect(answer).toMatchObject({ status: 200, body: { job: { payload: { note: '\ufffd' } } } })
})

it('a deployment’s log after the largest number is empty', async () => {
  const payload = { app: 'shop', source: { type: 'image', image: 'shop:1' } }
  const { licenseId, plane } = served
  const { job } = await plane.jobs.enqueue({ licenseId, kind: 'deploy', payload })
  const path = `/api/deploy/${job.deploymentId}/logs?after=${Number.MAX_SAFE_INTEGER}`
  expect(await served.send({ path, headers: { cookie } })).toMatchObject({ status: 200, body: { logs: [] } })
})
