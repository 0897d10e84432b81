import type { Context } from 'koa'
import { ClientGone, Refusal } from '../errors.ts'
import { isCoded, readJsonBody } from './json-body.ts'
import { cleaned } from './json-text.ts'
import type { RequestShare } from './request-bytes.ts'

const FORM_TYPE = 'application/x-www-form-urlencoded'

/**
 * Reads a body that a page may send as a form or as JSON. JSON is read as on every other route, with the same
 * limits. Only a body whose content type is a form is read by koa-body.
 * @throws Refusal `invalid-json` or `payload-too-large`, Problem `unavailable`, or ClientGone
 */
export function readFormBody(ctx: Context, maxBytes: number, share: RequestShare): Promise<unknown> {
  const type = ctx.req.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  return type === FORM_TYPE ? readForm(ctx, maxBytes, share) : readJsonBody(ctx.req, maxBytes, share)
}

// Loaded when first needed: koa-body costs 70 ms of start, and hosts never send a form. koa-body would
// inflate compressed bodies, so they are refused first, as on every route.
async function readForm(ctx: Context, maxBytes: number, share: RequestShare): Promise<unknown> {
  if (isCoded(ctx.req)) throw new Refusal('invalid-json')
  const { koaBody } = await import('koa-body')
  if (ctx.req.destroyed) throw new ClientGone()
  const read = koaBody({ formLimit: maxBytes, json: false, urlencoded: true, text: false, multipart: false })
  const reading = read(ctx, async () => {}).catch((error: unknown) => {
    throw new Refusal(statusOf(error) === 413 ? 'payload-too-large' : 'invalid-json')
  })
  await Promise.race([reading, counted(ctx, share)])
  return cleaned(ctx.request.body ?? {})
}

/**
 * Counts the bytes of a body that other code reads. The promise settles only by rejecting, when the bytes are
 * too many.
 */
function counted({ req }: Context, share: RequestShare): Promise<never> {
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
