import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'koa'
import { JSON_TYPE } from '../exchange/reply.ts'
import type { Reply } from '../exchange/route.ts'

/** A request, and the means to send its answer. */
export interface Responder {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** Koa's context, if Koa handles the request: it is needed to read forms. */
  readonly ctx?: Context
  /** Writes a reply with the headers that every reply has. */
  send(requestId: string, reply: Reply): void
  /** Ends the exchange without an answer: the client has gone. */
  drop(): void
}

/** Answers through Koa, so that the surrounding middlewares see the answer before it is sent. */
export class KoaResponder implements Responder {
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
    const { status, stream, bytes } = reply
    ctx.status = status
    res.setHeader('Cache-Control', 'no-store')
    res.setHeader('Svc-Request-Id', requestId)
    for (const [name, value] of Object.entries(reply.headers ?? {})) res.setHeader(name, value)
    const content = stream ?? bytes ?? contentOf(reply)
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
 * Answers on Node's response directly: the routes that hosts call all the time need no Koa context and do not
 * pay for one. Cannot send streams.
 */
export class DirectResponder implements Responder {
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
    // Nearly every answer is ASCII: `latin1` writes the same bytes without encoding.
    const encoding = bytes === content.content.length ? 'latin1' : 'utf8'
    res.writeHead(reply.status, head).end(content.content, encoding)
  }

  drop(): void {
    // The connection is gone, so there is no answer to send.
  }
}

// Returns serialized text: Koa would serialize an object itself, without setting its length.
function contentOf({ text, body }: Reply): { type: string; content: string } | undefined {
  if (text !== undefined) return text
  return body === undefined ? undefined : { type: JSON_TYPE, content: JSON.stringify(body) }
}
