import { Agent, request } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { Storage } from '@svc/core'
import { memoryStorage, type TestPlane, testPlane } from '@svc/testing'
import { exchange, type Sent } from '../../../../test/support/exchange.ts'
import { createApp, createWaitingApp, type Listening, listen, ROUTES } from '../../src/index.ts'

/** A storage that fails on every use, like a database that is not ready. */
function untouched(): Storage {
  const stores = memoryStorage()
  return new Proxy(stores, {
    get: (target, name) => {
      const isAllowed = ['kind', 'dataKeys', 'health', 'disk', 'connections', Symbol.asyncDispose].includes(
        name,
      )
      if (isAllowed) return Reflect.get(target, name)
      return new Proxy(
        {},
        {
          get: () => {
            throw new Error(`${String(name)} was used`)
          },
        },
      )
    },
  })
}

let faked: TestPlane
let server: Listening
beforeEach(async () => {
  faked = testPlane({ storage: untouched(), env: { SERVICE_HEALTH_TOKEN: 'health-token-of-the-waiting' } })
  faked.plane.health.starting()
  server = await listen(createWaitingApp(faked.plane, { for: 'everybody' }), { host: '127.0.0.1', port: 0 })
})
afterEach(async () => {
  await server.cut()
  await faked[Symbol.asyncDispose]()
})

const send = (sent: Sent) => exchange(server.port, sent)
const CREDENTIALS = { authorization: 'Bearer health-token' }

describe('A service that waits for its database', () => {
  it('answers healthz with 503 and the checks, livez with 200, and other methods there with 405', async () => {
    expect(await send({ path: '/healthz' })).toMatchObject({
      status: 503,
      body: { ok: false, checks: { starting: { status: 'fail' }, database: expect.anything() } },
    })
    expect(await send({ path: '/livez' })).toMatchObject({ status: 200, body: { ok: true } })
    expect(await send({ method: 'POST', path: '/livez' })).toMatchObject({ status: 405 })
  })

  const others = ROUTES.filter(({ path }) => path !== '/healthz' && path !== '/livez')
  const calls = others.map(({ method, path }) => [method, path.replaceAll(/\{[^}]+\}/g, 'x')] as const)

  it.each([...calls, ['GET', '/not/there']])(
    'answers %s %s with 503 and Retry-After',
    async (method, path) => {
      const answer = await send({
        method,
        path,
        headers: CREDENTIALS,
        body: method === 'GET' ? undefined : 'no JSON',
      })
      expect(answer).toMatchObject({
        status: 503,
        headers: { 'retry-after': '2', 'cache-control': 'no-store', 'svc-request-id': expect.any(String) },
      })
      if (method !== 'HEAD') expect(answer.body).toEqual({ error: 'service unavailable' })
    },
  )

  it('tells operators at the control socket what it waits for', async () => {
    await using control = await listen(createWaitingApp(faked.plane, { for: 'operators' }), {
      host: '127.0.0.1',
      port: 0,
    })
    const { status, body } = await exchange(control.port, { method: 'POST', path: '/operations/jobs.list' })
    expect({ status, body }).toEqual({
      status: 503,
      body: {
        error: 'service unavailable',
        code: 'unavailable',
        detail: expect.stringContaining('waits for its database'),
      },
    })
  })
})

describe('Another application on the same socket', () => {
  it('answers the next request of a connection that is open', async () => {
    await using served = testPlane()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const asked = () => {
      const { promise, resolve, reject } = Promise.withResolvers<{ status: number; isReused: boolean }>()
      const sent = request(
        { port: server.port, host: '127.0.0.1', path: '/v1/fleet/servers', agent },
        (answer) => {
          answer
            .resume()
            .once('end', () => resolve({ status: answer.statusCode ?? 0, isReused: sent.reusedSocket }))
        },
      )
      sent.once('error', reject)
      sent.end()
      return promise
    }
    expect(await asked()).toEqual({ status: 503, isReused: false })
    server.serve(createApp(served.plane))
    expect(await asked()).toEqual({ status: 401, isReused: true })
    agent.destroy()
  })
})
