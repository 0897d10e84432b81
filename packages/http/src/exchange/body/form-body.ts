import type { Context } from 'koa'
import type { Struct } from 'superstruct'
import { ClientGone, Refusal } from '../errors.ts'
import { type Body, FORM_BODY_TYPE, JSON_BODY_TYPE } from './body.ts'
import { jsonBody } from './json-body.ts'
import { cleaned } from './json-text.ts'
import { isCoded, type ReadLimits } from './request-bytes.ts'

/**
 * A body that a page may send as a form or as JSON. JSON is read as on every other route, with the same
 * limits. Only a body whose content type is a form is read by koa-body.
 */
export function formBody<T, S>(struct: Struct<T, S>): Body<T> {
  const json = jsonBody(struct)
  return {
    ...json,
    types: [JSON_BODY_TYPE, FORM_BODY_TYPE],
    read: (received) => {
      const { req, ctx, share } = received
      const type = req.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
      // A form that somebody has parsed before is an object as JSON's is.
      return type === FORM_BODY_TYPE && ctx !== undefined && !req.readableEnded
        ? readForm(ctx, { maxBytes: json.maxBytes, share }).then(json.accept)
        : json.read(received)
    },
  }
}

// Loaded when first needed: koa-body costs 70 ms of start, and hosts never send a form. koa-body would
// inflate compressed bodies, so they are refused first, as on every route.
async function readForm(ctx: Context, { maxBytes, share }: ReadLimits): Promise<unknown> {
  if (isCoded(ctx.req)) throw new Refusal('invalid-json')
  const { koaBody } = await import('koa-body')
  if (ctx.req.destroyed) throw new ClientGone()
  const read = koaBody({ formLimit: maxBytes, json: false, urlencoded: true, text: false, multipart: false })
  const reading = read(ctx, async () => {}).catch((error: unknown) => {
    // koa-body stops a body that it refuses, and the next request of the connection would wait for its end.
    ctx.req.resume()
    throw new Refusal(statusOf(error) === 413 ? 'payload-too-large' : 'invalid-json')
  })
  await Promise.race([reading, counted(ctx, share)])
  return cleaned(ctx.request.body ?? {})
}

/**
 * Counts the bytes of a body that other code reads. The promise settles only by rejecting, when the bytes are
 * too many.
 */
function counted({ req }: Context, share: ReadLimits['share']): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  const count = (chunk: Buffer) => {
    try {
      share.take(chunk.length)
    } catch (error) {
      req.off('data', count)
      reject(error)
    }
  }
  req.on('data', count)
  return promise
}

const statusOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined
