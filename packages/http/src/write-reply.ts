import type { Context } from 'koa'
import type { Reply } from './route.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** Writes a reply with the headers that every reply has (wire: Compatibility rules). */
export function writeReply(ctx: Context, requestId: string, reply: Reply): void {
  const { status, headers, body, text, stream } = reply
  const { res } = ctx
  ctx.status = status
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Svc-Request-Id', requestId)
  if (headers !== undefined) {
    for (const name of Object.keys(headers)) res.setHeader(name, headers[name] ?? '')
  }
  if (stream !== undefined) {
    res.setHeader('Content-Type', stream.type)
    ctx.body = stream.content
  } else if (text !== undefined) {
    res.setHeader('Content-Type', text.type)
    ctx.body = text.content
  } else if (body !== undefined) {
    res.setHeader('Content-Type', JSON_TYPE)
    // A ready text: an object would be turned into one again, without its length.
    ctx.body = JSON.stringify(body)
  } else {
    ctx.body = null
    ctx.status = status
  }
}
