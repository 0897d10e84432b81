import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'koa'
import { JSON_TYPE } from '../reply.ts'
import type { Reply } from '../route.ts'

/** A request, and the way its answer goes out. */
export interface Carrier {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** Koa's view of it, when Koa carries it: forms are read by that. */
  readonly ctx?: Context
  /** Writes a reply with the headers that every reply has (wire: Compatibility rules). */
  send(requestId: string, reply: Reply): void
  /** Nobody is there to be answered. */
  drop(): void
}

/** Answers through Koa, so that the middlewares around see the answer before it goes out. */
export class KoaCarrier implements Carrier {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly ctx: Context

  constructor(ctx: Context) {
    this.ctx = ctx
    this.req = ctx.req
    this.res = ctx.res
  }

  send(requestId: string, reply: Reply): void {
    const { ctx, res } = this
    const { status, stream } = reply
    ctx.status = status
    res.setHeader('Cache-Control', 'no-store')
    res.setHeader('Svc-Request-Id', requestId)
    for (const [name, value] of Object.entries(reply.headers ?? {})) res.setHeader(name, value)
    const content = stream ?? contentOf(reply)
    if (content === undefined) {
      ctx.body = null
      ctx.status = status
    } else {
      res.setHeader('Content-Type', content.type)
      ctx.body = content.content
    }
  }

  drop(): void {
    this.ctx.respond = false
  }
}

/**
 * Answers on the connection itself: what hosts call all the time does not pay for a view of the request that
 * it does not need. For replies that are no streams.
 */
export class DirectCarrier implements Carrier {
  readonly req: IncomingMessage
  readonly res: ServerResponse

  constructor(req: IncomingMessage, res: ServerResponse) {
    this.req = req
    this.res = res
  }

  send(requestId: string, reply: Reply): void {
    const { res } = this
    if (res.destroyed) return
    const head = ['Cache-Control', 'no-store', 'Svc-Request-Id', requestId]
    const { headers } = reply
    if (headers !== undefined) for (const name of Object.keys(headers)) head.push(name, headers[name] ?? '')
    const content = contentOf(reply)
    if (content === undefined) {
      res.writeHead(reply.status, head).end()
      return
    }
    const bytes = Buffer.byteLength(content.content)
    head.push('Content-Type', content.type, 'Content-Length', String(bytes))
    // ASCII, as nearly every answer is: the same bytes, and nothing to encode.
    const encoding = bytes === content.content.length ? 'latin1' : 'utf8'
    res.writeHead(reply.status, head).end(content.content, encoding)
  }

  drop(): void {
    // The connection is gone, and the answer with it.
  }
}

// A ready text: Koa would turn an object into one again, without its length.
function contentOf({ text, body }: Reply): { type: string; content: string } | undefined {
  if (text !== undefined) return text
  return body === undefined ? undefined : { type: JSON_TYPE, content: JSON.stringify(body) }
}
