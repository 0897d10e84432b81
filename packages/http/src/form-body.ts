import type { Context } from 'koa'
import { Refusal } from './errors.ts'
import { isCoded } from './json-body.ts'
import { cleaned } from './json-text.ts'

/**
 * Reads a body that a page may send as a form or as JSON, by koa-body. Loaded when first needed: it costs 70 ms of
 * start, and hosts never send such a body. It would inflate what is compressed: that is refused before, as everywhere.
 * @throws Refusal `invalid-json` or `payload-too-large`
 */
export async function readFormBody(ctx: Context, maxBytes: number): Promise<unknown> {
  if (isCoded(ctx.req)) throw new Refusal('invalid-json')
  const { koaBody } = await import('koa-body')
  const limits = { jsonLimit: maxBytes, formLimit: maxBytes }
  const read = koaBody({ ...limits, json: true, urlencoded: true, text: false, multipart: false })
  try {
    await read(ctx, async () => {})
  } catch (error) {
    throw new Refusal(statusOf(error) === 413 ? 'payload-too-large' : 'invalid-json')
  }
  return cleaned(ctx.request.body ?? {})
}

const statusOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined
