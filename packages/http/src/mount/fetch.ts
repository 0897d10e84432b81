import { ServerResponse } from 'node:http'
import { addAbortSignal, Readable } from 'node:stream'
import type Koa from 'koa'
import type { Context } from 'koa'
import compose from 'koa-compose'
import { WebRequest } from './web-request.ts'

/** Facts of a request that a web-standard `Request` does not show. */
export interface FetchFacts {
  /**
   * The client's address, or the address of the proxy before the service. Without it routes with a limit per
   * address answer 503.
   */
  readonly address?: string | undefined
}

/**
 * Answers a web-standard request: the entrance for servers that hand over a `Request`. Streams come as they
 * are made, and no faster than they are read. Never rejects.
 */
export type Fetch = (request: Request, facts?: FetchFacts) => Promise<Response>

/** Statuses whose answers have no body (Fetch standard, null body status). */
const BODILESS: ReadonlySet<number> = new Set([101, 204, 205, 304])
/** Headers of one connection, which is the business of the server around (RFC 9110, section 7.6.1). */
const OF_A_CONNECTION: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding'])

/** Gives an application of Koa the web-standard entrance, through all of its middlewares. */
export function fetchOf(app: Koa): Fetch {
  let run: ReturnType<typeof compose<Context>> | undefined
  return async (request, facts) => {
    run ??= compose<Context>(app.middleware as compose.Middleware<Context>[])
    const req = new WebRequest(request, facts?.address)
    const res = new ServerResponse(req)
    const ctx = app.createContext(req, res) as Context
    const leave = () => void res.destroy()
    // The exchange ends with its answer, or when the client has gone.
    if (request.signal.aborted) leave()
    else request.signal.addEventListener('abort', leave, { once: true })
    const over = () => {
      request.signal.removeEventListener('abort', leave)
      leave()
    }
    res.statusCode = 404
    try {
      await run(ctx)
    } catch (error) {
      refuse(ctx, error)
    }
    return answerOf(ctx, request.signal, over)
  }
}

/** Answers for a middleware of the embedder that threw, as Koa does. */
function refuse(ctx: Context, error: unknown): void {
  ctx.app.emit('error', error, ctx)
  const { status = 500, expose = false, message = '' } = error instanceof Error ? (error as Thrown) : {}
  ctx.status = expose ? status : 500
  ctx.body = expose ? message : 'Internal Server Error'
}

type WebBody = ReadableStream<Uint8Array> | Buffer<ArrayBuffer> | string | null
type Thrown = Error & { readonly status?: number; readonly expose?: boolean }

function answerOf(ctx: Context, signal: AbortSignal, over: () => void): Response {
  const { status } = ctx
  const body = BODILESS.has(status) || ctx.method === 'HEAD' ? null : bodyOf(ctx, signal, over)
  if (!(body instanceof ReadableStream)) over()
  return new Response(body, { status, headers: headersOf(ctx) })
}

function bodyOf(ctx: Context, signal: AbortSignal, over: () => void): WebBody {
  const { body } = ctx
  if (body instanceof Readable) {
    body.once('close', over)
    // A stream ends with its client.
    if (!signal.aborted) addAbortSignal(signal, body)
    else body.destroy()
    return streamOf(body)
  }
  if (body === undefined) return ctx.message
  if (typeof body === 'object' && body !== null && !Buffer.isBuffer(body)) return JSON.stringify(body)
  return body as Buffer<ArrayBuffer> | string | null
}

/**
 * A stream whose pieces are taken when somebody reads. `Readable.toWeb` of Node 24 throws where nobody can
 * catch it when a stream is cancelled that has a piece ready.
 */
function streamOf(body: Readable): ReadableStream<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      // The iterator would end only with its next piece, which may be far away.
      cancel: () => void body.destroy(),
    },
    { highWaterMark: 0 },
  )
}

function headersOf({ res }: Context): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(res.getHeaders())) {
    if (OF_A_CONNECTION.has(name)) continue
    for (const each of Array.isArray(value) ? value : [value]) headers.append(name, String(each))
  }
  return headers
}
