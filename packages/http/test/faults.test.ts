import { describe, expect, it } from '@jest/globals'
import { Problem } from '@svc/core'
import { byListen } from '../../../test/support/mounted.ts'
import { open } from '../src/gates/open.ts'
import { createApp, json, route } from '../src/index.ts'
import { serving } from './support/serving.ts'

const failing = (name: string, error: unknown) =>
  route({
    method: 'GET',
    path: `/fails/${name}`,
    summary: 'Fails.',
    gate: open,
    replies: { 200: { description: 'Never.' } },
    handle: () => Promise.reject(error),
  })

const secret = new Error('password=hunter2 is wrong for 203.0.113.9')
const routes = [
  failing('unexpectedly', secret),
  failing('oddly', 'a text with hunter2'),
  failing('for-now', new Problem('unavailable', { retryAfterSeconds: 1.2 }, { cause: secret })),
  failing('explained', new Problem('conflict', { detail: 'only operators read this' })),
  route({
    method: 'GET',
    path: '/fails/{name}',
    summary: 'Answers.',
    gate: open,
    replies: { 200: { description: 'The name.' } },
    handle: ({ params }) => json({ name: params.name }),
  }),
]

describe('a handler that fails', () => {
  const served = serving({}, byListen({ routes }))

  it('is 500 without a word of the error, and a fault in the log under the name of the request', async () => {
    for (const name of ['unexpectedly', 'oddly']) {
      const answer = await served().get(`/fails/${name}`)
      expect(answer).toMatchObject({ status: 500, text: '{"error":"internal error"}' })
      const fault = served().log.lines.find(
        ({ level, fields }) => level === 'error' && fields.request === answer.headers['svc-request-id'],
      )
      expect(fault).toMatchObject({
        message: 'request fault',
        fields: { route: `/fails/${name}`, code: 'internal' },
      })
    }
    expect(served().log.text()).not.toMatch(/hunter2|203\.0\.113/)
    expect(served().log.text()).toContain('faults.test.ts')
  })

  it('is 503 with Retry-After when it is only for now, and the cause is logged', async () => {
    expect(await served().get('/fails/for-now')).toMatchObject({
      status: 503,
      body: { error: 'service unavailable' },
      headers: { 'retry-after': '2' },
    })
    expect(served().log.messages('error')).toEqual(['request fault'])
  })

  it('does not tell hosts what is meant for operators', async () => {
    expect((await served().get('/fails/explained')).text).toBe('{"error":"conflict"}')
  })

  it('leaves routes with a parameter beside it to the router, which decodes it', async () => {
    expect((await served().get('/fails/b%C3%A4r')).body).toEqual({ name: 'bär' })
    expect(await served().get('/fails/a/b')).toMatchObject({ status: 404 })
    expect(await served().get('/FAILS/a')).toMatchObject({ status: 404 })
  })
})

describe('an answer that could not be delivered', () => {
  const served = serving()
  it('is a line at debug without the message of the error, and nothing on the console', () => {
    createApp(served().plane).emit('error', secret)
    expect(served().log.lines).toMatchObject([{ level: 'debug', message: 'answer not delivered' }])
    expect(served().log.text()).not.toContain('hunter2')
  })
})

describe('the log of requests', () => {
  const served = serving()

  it('has one line a request: template, status and time, refusals at info, the rest at debug', async () => {
    await served().post('/api/v1/jobs/claim?token=hunter2', { fingerprint: 'hunter2' })
    await served().post('/v1/jobs/hunter2/status', {}, { authorization: 'Bearer hunter2' })
    await served().get('/hunter2')
    expect(served().log.lines).toEqual([
      line('debug', 'request answered', { method: 'POST', route: '/v1/jobs/claim', status: 204 }),
      line('info', 'request refused', {
        method: 'POST',
        route: '/v1/jobs/{id}/status',
        status: 401,
        code: 'unauthorized',
      }),
      line('info', 'request refused', { method: 'GET', route: 'unmatched', status: 404, code: 'not-found' }),
    ])
    expect(served().log.text()).not.toMatch(/hunter2|127\.0\.0\.1/)
    expect(served().log.text()).not.toContain(served().key)
  })

  const line = (level: string, message: string, fields: object) => ({
    level,
    message,
    fields: { request: expect.stringMatching(/^req_/), ms: expect.any(Number), ...fields },
  })
})
