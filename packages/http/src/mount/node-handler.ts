import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa, { type Context } from 'koa'

/** Leaves a request to the application around, as in Express. */
export type Next = () => void

/**
 * Answers a request of Node.js: the entrance for Express, Fastify and `node:http`. With `unknownPaths:
 * 'pass'` it calls `next` for paths that are not the service's.
 */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse, next?: Next) => void

/** Answers a request past Koa, or returns undefined. */
type Direct = (request: IncomingMessage, response: ServerResponse) => Promise<void> | undefined

/** Gives an application of Koa an entrance with a way on. */
export function nodeHandlerOf(app: Koa, direct: Direct): NodeHandler {
  const ways = new WeakMap<IncomingMessage, Next>()
  const pass = (ctx: Context) => {
    const next = ways.get(ctx.req)
    if (next === undefined) return
    ctx.respond = false
    // Koa begins with 404, the application around with 200.
    ctx.res.statusCode = 200
    next()
  }
  let throughKoa: ReturnType<Koa['callback']> | undefined
  return (request, response, next) => {
    if (direct(request, response) !== undefined) return
    if (next !== undefined) ways.set(request, next)
    throughKoa ??= chain(app, pass)
    void throughKoa(request, response)
  }
}

/** The same application with one middleware more at its end. */
function chain(app: Koa, last: (ctx: Context) => void): ReturnType<Koa['callback']> {
  const longer: Koa = Object.assign(Object.create(app), { middleware: [...app.middleware, last] })
  return Koa.prototype.callback.call(longer)
}
