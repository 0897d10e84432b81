// The control plane in the servers of others, as docs/embedding.md shows each.
import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { createRequestListener } from '@remix-run/node-fetch-server'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { type Mount, started } from '../../../../test/support/mounted.ts'
import { type App, type AppOptions, controlPlaneMiddleware, createApp } from '../../src/index.ts'

/** A server of somebody else, by the options of the control plane in it. */
export type Around = (options?: AppOptions) => Mount

/** Sends upgrades to the control plane, and cuts what it does not take. */
function withUpgrades(server: Server, app: Pick<App, 'upgrades'>): Server {
  return server.on('upgrade', (request, socket, head) => {
    if (!app.upgrades.take(request, socket as never, head)) socket.destroy()
  })
}

/** The answer of the application around. */
const ownAnswer = (path: string | undefined) =>
  path === '/hello' ? { status: 200, body: { hello: 'host' } } : { status: 404, body: { error: 'not found' } }

export const inNode: Around =
  (options = {}) =>
  async ({ plane }) => {
    const app = createApp(plane, { unknownPaths: 'pass', ...options })
    const server = createServer((request, response) =>
      app.nodeHandler(request, response, () => {
        const { status, body } = ownAnswer(request.url)
        response.setHeader('content-type', 'application/json')
        if (status !== 200) response.statusCode = status
        // An application answers when it can.
        setTimeout(() => response.end(JSON.stringify(body)), 5)
      }),
    )
    return started(withUpgrades(server, app))
  }

export const inKoa: Around =
  (options = {}) =>
  async ({ plane }) => {
    const middleware = controlPlaneMiddleware(plane, { unknownPaths: 'pass', ...options })
    const host = new Koa()
    host.use(middleware)
    host.use((ctx) => {
      const { status, body } = ownAnswer(ctx.path)
      ctx.status = status
      ctx.body = body
    })
    const answer = host.callback()
    return started(
      withUpgrades(
        createServer((request, response) => void answer(request, response)),
        middleware,
      ),
    )
  }

export const inExpress: Around =
  (options = {}) =>
  async ({ plane }) => {
    const app = createApp(plane, { unknownPaths: 'pass', ...options })
    const host = express()
    host.use(app.nodeHandler)
    host.use((request, response) => {
      const { status, body } = ownAnswer(request.url)
      response.status(status).json(body)
    })
    return started(withUpgrades(createServer(host), app))
  }

export const inFastify: Around =
  (options = {}) =>
  async ({ plane }) => {
    const app = createApp(plane, { unknownPaths: 'pass', ...options })
    const host = Fastify()
    host.addHook('onRequest', (request, reply, done) => app.nodeHandler(request.raw, reply.raw, done))
    host.all('*', (request, reply) => {
      const { status, body } = ownAnswer(request.url)
      return reply.status(status).send(body)
    })
    await host.listen({ port: 0, host: '127.0.0.1' })
    withUpgrades(host.server, app)
    const address = host.server.address() as { port: number }
    const stop = () => {
      host.server.closeAllConnections()
      return host.close()
    }
    return { port: address.port, stop }
  }

export const inHono: Around =
  (options = {}) =>
  async ({ plane }) => {
    const app = createApp(plane, options)
    const host = new Hono<{ Bindings: { incoming: { socket: { remoteAddress?: string } } } }>()
    host.get('/hello', (ctx) => ctx.json({ hello: 'host' }))
    host.all('*', (ctx) => app.fetch(ctx.req.raw, { address: ctx.env.incoming.socket.remoteAddress }))
    return started(createServer(getRequestListener(host.fetch)))
  }

/** A handler of the web standard, as a route of Next.js or Remix is one. */
export const inRouteHandler: Around =
  (options = {}) =>
  async ({ plane }) => {
    const { fetch } = createApp(plane, options)
    const GET = (request: Request, { address }: { address: string }) =>
      new URL(request.url).pathname === '/hello'
        ? Response.json({ hello: 'host' })
        : fetch(request, { address })
    return started(createServer(createRequestListener(GET)))
  }
