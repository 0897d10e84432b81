// The whole surface in the servers of others: plain answers, uploads, event streams, sign-in and upgrades.
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { FakeClock } from '@svc/testing'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'
import { sameOrigin } from '../../src/gates/same-origin.ts'
import { upgradeRoute } from '../../src/index.ts'
import { surfaceSuite } from '../dispatch/surface-suite.ts'
import { eventsOf, openChat } from '../support/chat-scene.ts'
import { type Around, inExpress, inFastify, inHono, inKoa, inNode, inRouteHandler } from './servers.ts'

const DOCS = join(import.meta.dirname, '../../../core/test/reach/chat/site')
const SIGN_IN = { email: 'ada@example.com', password: 'correct horse battery' }

const echo = upgradeRoute({
  path: '/echo',
  summary: 'Sends back what it gets.',
  protocol: 'echo',
  gate: sameOrigin({ name: 'echo', limit: 20, windowSeconds: 60 }),
  replies: {},
  accept: ({ socket, head }) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
    socket.write(head)
    socket.pipe(socket)
    return undefined
  },
})

/** Says something on the connection of an upgrade, and returns all that came back. */
function said(port: number, path: string, words: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket
    .on('error', () => {})
    .on('data', (chunk) => {
      text += String(chunk)
    })
  socket.on('close', () => resolve(text))
  socket.end(`GET ${path} HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n${words}`)
  return promise
}

const SERVERS: readonly (readonly [name: string, around: Around, upgrades: boolean])[] = [
  ['node:http', inNode, true],
  ['Koa 3', inKoa, true],
  ['Express 5', inExpress, true],
  ['Fastify 5', inFastify, true],
  ['Hono on Node', inHono, false],
  ['a route handler of the web standard', inRouteHandler, false],
]

describe.each(SERVERS)('inside %s', (_name, around, hasUpgrades) => {
  surfaceSuite(around())

  let served: Mounted
  beforeEach(async () => {
    const env = { SERVICE_PUBLIC_URL: 'https://svc.example' }
    const overrides = { clock: new FakeClock(), env, parts: { docsDir: DOCS } }
    served = await mounted(around({ upgradeRoutes: [echo] }), overrides)
  })
  afterEach(() => served[Symbol.asyncDispose]())

  it('leaves the paths of the host to the host', async () => {
    expect(await served.get('/hello')).toMatchObject({ status: 200, body: { hello: 'host' } })
  })

  it('streams events, and ends the work of a client that leaves', async () => {
    const body = { message: 'How do I install the agent?' }
    const answer = await openChat(served.port, body)
    await answer.ended
    const { events, said: text } = eventsOf(answer.text())
    expect(events.at(0)).toMatchObject({ type: 'meta' })
    expect(events.at(-1)).toMatchObject({ type: 'done' })
    expect(text).not.toBe('')
  })

  it('signs in by JSON and by form, with its cookie, and counts tries by address', async () => {
    await served.plane.users.add({ ...SIGN_IN, role: 'operator', tenantId: undefined })
    const login = (body: string, type: string) =>
      served.send({ method: 'POST', path: '/login', headers: { 'content-type': type }, body })
    const byJson = await login(JSON.stringify(SIGN_IN), 'application/json')
    expect(byJson).toMatchObject({ status: 200, body: { ok: true } })
    expect(byJson.headers['set-cookie']).toEqual([expect.stringMatching(/^svc_session=v1\./)])
    const form = new URLSearchParams(SIGN_IN).toString()
    expect(await login(form, 'application/x-www-form-urlencoded')).toMatchObject({ status: 200 })
    for (let tries = 2; tries < 5; tries += 1) await login('{', 'application/json')
    expect(await login('{', 'application/json')).toMatchObject({ status: 429 })
  })

  it('answers HEAD without a body and with its length', async () => {
    const get = await served.get('/livez')
    const head = await served.send({ method: 'HEAD', path: '/livez' })
    expect(head).toMatchObject({ status: 200, text: '' })
    expect(head.headers['content-length']).toBe(String(get.text.length))
  })

  if (hasUpgrades)
    it('hands a connection over to an upgrade route, and no other', async () => {
      expect((await said(served.port, '/echo', 'hello')).split('\r\n').at(-1)).toBe('hello')
      expect(await said(served.port, '/livez', 'hello')).toBe('')
    })
  else
    it('answers 426 where a connection cannot be handed over', async () => {
      expect(await served.get('/echo')).toMatchObject({ status: 426, headers: { upgrade: 'echo' } })
    })
})
