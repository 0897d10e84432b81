import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestPlane, type TestPlaneOverrides, testPlane } from '@svc/testing'
import Koa from 'koa'
import { type AppOptions, controlPlaneMiddleware, createApp, listen } from '../../packages/http/src/index.ts'
import { type Answer, exchange, type Sent } from './exchange.ts'
import { withTrueAnswers } from './true-answers.ts'

/** A plane behind a real socket, with a license to call it by. */
export interface Mounted extends TestPlane {
  readonly port: number
  readonly key: string
  readonly licenseId: string
  send(sent: Sent): Promise<Answer>
  /** POST of a JSON value (a string goes as it is) under the license. */
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** GET under the license. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
}

/** Serves a plane somehow; gives its port and how to stop. */
export type Mount = (faked: TestPlane) => Promise<{ port: number; stop: () => Promise<unknown> }>

/** As `svc serve` does. */
export const byListen =
  (options: AppOptions = {}): Mount =>
  async ({ plane }) => {
    const server = await listen(createApp(plane, options), {
      host: '127.0.0.1',
      port: 0,
      health: plane.health,
    })
    return { port: server.port, stop: () => server.cut() }
  }

/** In a plain server of somebody else. */
export const inPlainServer: Mount = async ({ plane }) => started(createServer(createApp(plane).callback()))

/** Behind a middleware of another Koa application, which keeps its own paths. */
export const inAnotherKoa: Mount = async ({ plane }) => {
  const host = new Koa()
  host.use(async (ctx, next) => {
    ctx.set('X-Host', 'around')
    await next()
  })
  host.use(controlPlaneMiddleware(plane, { unknownPaths: 'pass' }))
  host.use((ctx) => {
    ctx.status = ctx.path === '/hello' ? 200 : 404
    ctx.body = ctx.path === '/hello' ? { hello: 'host' } : { error: 'not found' }
  })
  return started(createServer(host.callback()))
}

/** Listens with a server of somebody else. */
export async function started(server: Server) {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const stop = () => {
    const closed = new Promise((done) => server.close(done))
    server.closeAllConnections()
    return closed
  }
  return { port: (server.address() as AddressInfo).port, stop }
}

/** Fakes a plane, gives it a license and mounts it. */
export async function mounted(
  mount: Mount = byListen({ console: true }),
  overrides: TestPlaneOverrides = {},
): Promise<Mounted> {
  const faked = testPlane(overrides)
  withTrueAnswers(faked.plane)
  const { id: licenseId, key } = await faked.license()
  const { port, stop } = await mount(faked)
  const send = (sent: Sent) => exchange(port, sent)
  const authorization = `Bearer ${key}`
  return {
    ...faked,
    port,
    key,
    licenseId,
    send,
    post: (path, body, headers = {}) =>
      send({ method: 'POST', path, body: asText(body), headers: { authorization, ...headers } }),
    get: (path, headers = {}) => send({ method: 'GET', path, headers: { authorization, ...headers } }),
    [Symbol.asyncDispose]: async () => {
      await stop()
      await faked[Symbol.asyncDispose]()
    },
  }
}

const asText = (body: unknown): string | Buffer | undefined =>
  body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
