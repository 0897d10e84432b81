import type { Context } from 'koa'
import type { Reply } from './route.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** Writes a reply with the headers that every reply has (wire: Compatibility rules). */
export function writeReply(ctx: Context, requestId: string, { status, headers, body, text }: Reply): void {
  ctx.status = status
  ctx.set('Cache-Control', 'no-store')
  ctx.set('Svc-Request-Id', requestId)
  for (const [name, value] of Object.entries(headers ?? {})) ctx.set(name, value)
  if (text !== undefined) {
    ctx.set('Content-Type', text.type)
    ctx.body = text.content
  } else if (body !== undefined) {
    ctx.set('Content-Type', JSON_TYPE)
    // A ready text: an object would be turned into one again, without its length.
    ctx.body = JSON.stringify(body)
  } else {
    ctx.body = null
    ctx.status = status
  }
}
