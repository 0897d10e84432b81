import type { Message } from './exchange.ts'
import type { OutboundRefusal } from './outbound-refusal.ts'

/** Methods that outgoing requests may use. CONNECT and TRACE have no use at a stranger's server. */
export const OUTBOUND_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** A method of an outgoing request. */
export type OutboundMethod = (typeof OUTBOUND_METHODS)[number]

/** Limits of each call. A request may lower them, never raise them. */
export interface OutboundLimits {
  /** Name resolution, per hop. */
  readonly resolveMs: number
  /** From the first connection attempt until the connection is secured, per hop. */
  readonly connectMs: number
  /** From the secured connection until the head of the answer is complete, per hop. */
  readonly answerMs: number
  /** The longest silence within a body. If undefined, only `totalMs` applies. */
  readonly idleMs?: number | undefined
  /** The whole call, all hops and bodies included. */
  readonly totalMs: number
  /** Size of the head of an answer. */
  readonly maxHeaderBytes: number
  /** Size of the body of an answer, as sent. */
  readonly maxBytes: number
  /** Number of hops after the first. */
  readonly maxRedirects: number
}

/** Default limits of a client; they suit webhooks. */
export const OUTBOUND_LIMITS: OutboundLimits = {
  resolveMs: 5_000,
  connectMs: 5_000,
  answerMs: 15_000,
  totalMs: 20_000,
  maxHeaderBytes: 16_384,
  maxBytes: 1_048_576,
  maxRedirects: 5,
}

/** One outgoing request. */
export interface OutboundRequest {
  /** Default: GET. */
  readonly method?: OutboundMethod
  /** Headers of the request. A header of the connection (`host`, `content-length` …) is a `TypeError`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Whether `http:` is accepted too. */
  readonly plainHttp?: boolean
  /** At most `totalMs` of the client's limits. */
  readonly timeoutMs?: number
  /** At most `maxBytes` of the client's limits. */
  readonly maxBytes?: number
  /** Number of redirects to follow. Default: none. */
  readonly redirects?: number
  /** Cancels the call, which then ends as `cancelled`. */
  readonly signal?: AbortSignal
}

/** Result of a call: an answer of any status, or the reason why there is none. */
export type OutboundAnswer =
  | { readonly ok: true; readonly status: number; readonly headers: Headers; readonly body: Uint8Array }
  | { readonly ok: false; readonly refusal: OutboundRefusal }

/**
 * Result of a streamed call: the head of an answer whose body is still coming, or the reason why there is
 * none. Reading the body throws `OutboundRefused` if it breaks, is too large, or the call ends. The
 * connection is closed when the body has been read, when the answer is disposed of, or when the call ends by
 * its signal or time limit.
 */
export type OutboundStream =
  | ({
      readonly ok: true
      readonly status: number
      readonly headers: Headers
      /** Can be read once. */
      readonly body: AsyncIterable<Uint8Array>
    } & AsyncDisposable)
  | { readonly ok: false; readonly refusal: OutboundRefusal }

const CONNECTION_HEADERS =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|proxy-.*)$/

const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Returns the request to the first target. Throws `TypeError` for a mistake of the caller. */
export function messageOf({ method = 'GET', headers: given = {}, body }: OutboundRequest): Message {
  if (!OUTBOUND_METHODS.includes(method)) throw new TypeError('not a method of an outgoing request')
  const headers = new Headers(given)
  for (const [name, value] of headers) {
    if (CONNECTION_HEADERS.test(name)) throw new TypeError(`the header ${name} belongs to the connection`)
    if (!HEADER_VALUE.test(value))
      throw new TypeError(`the value of the header ${name} has control characters`)
  }
  // Answers are never decompressed, so that no small answer can expand to a huge one.
  headers.set('accept-encoding', 'identity')
  return { method, headers, body }
}

/** Returns the client's limits, lowered to the request's. */
export function limitsOf(limits: OutboundLimits, request: OutboundRequest): OutboundLimits {
  const { timeoutMs = limits.totalMs, maxBytes = limits.maxBytes, redirects = 0 } = request
  return {
    ...limits,
    totalMs: Math.min(limits.totalMs, timeoutMs),
    maxBytes: Math.min(limits.maxBytes, maxBytes),
    maxRedirects: Math.min(limits.maxRedirects, redirects),
  }
}
