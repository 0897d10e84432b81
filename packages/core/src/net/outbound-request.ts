import type { Message } from './exchange.ts'
import type { Refusal } from './refusal.ts'

/** What may be sent. CONNECT and TRACE are no way to speak to a stranger. */
export const OUTBOUND_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** A method of an outgoing request. */
export type OutboundMethod = (typeof OUTBOUND_METHODS)[number]

/** Caps on each call. A request may ask for less, never for more. */
export interface OutboundLimits {
  /** Name resolution, per hop. */
  readonly resolveMs: number
  /** From the first attempt to connect until the connection is secured, per hop. */
  readonly connectMs: number
  /** From then until the head of the answer is complete, per hop. */
  readonly answerMs: number
  /** The longest silence inside of a body; without it only the whole counts. */
  readonly idleMs?: number | undefined
  /** Everything, all hops and bodies included. */
  readonly totalMs: number
  /** The head of an answer. */
  readonly maxHeaderBytes: number
  /** The body of an answer, as sent. */
  readonly maxBytes: number
  /** Hops after the first. */
  readonly maxRedirects: number
}

/** The caps of a client that was given none: right for a webhook. */
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
  /** GET when not given. */
  readonly method?: OutboundMethod
  /**
   * Without those that belong to the connection (`host`, `content-length` …): naming one is a `TypeError`.
   */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Accept `http:` too. */
  readonly plainHttp?: boolean
  /** At most `totalMs` of the client's limits. */
  readonly timeoutMs?: number
  /** At most `maxBytes` of the client's limits. */
  readonly maxBytes?: number
  /** How many redirects to follow: none when not given. */
  readonly redirects?: number
  /** Ends the call early, as `cancelled`. */
  readonly signal?: AbortSignal
}

/** What a call brought: an answer of any status, or the reason why there is none. */
export type OutboundAnswer =
  | { readonly ok: true; readonly status: number; readonly headers: Headers; readonly body: Uint8Array }
  | { readonly ok: false; readonly refusal: Refusal }

/**
 * What a streamed call brought: the head of an answer with a body that is still coming, or the reason why
 * there is none. Reading the body throws `Refused` where it breaks, is too large, or is ended. The connection
 * is closed when the body has been read, by disposing of the answer, and when the call ends by its signal or
 * its time.
 */
export type OutboundStream =
  | ({
      readonly ok: true
      readonly status: number
      readonly headers: Headers
      /** To be read once. */
      readonly body: AsyncIterable<Uint8Array>
    } & AsyncDisposable)
  | { readonly ok: false; readonly refusal: Refusal }

const CONNECTION_HEADERS =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|proxy-.*)$/

const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** The request as it is sent to the first target. Throws `TypeError` for a fault of the caller. */
export function messageOf({ method = 'GET', headers: given = {}, body }: OutboundRequest): Message {
  if (!OUTBOUND_METHODS.includes(method)) throw new TypeError('not a method of an outgoing request')
  const headers = new Headers(given)
  for (const [name, value] of headers) {
    if (CONNECTION_HEADERS.test(name)) throw new TypeError(`the header ${name} belongs to the connection`)
    if (!HEADER_VALUE.test(value))
      throw new TypeError(`the value of the header ${name} has control characters`)
  }
  // A body of a thousand times its size could only come from an answer that is inflated, and none is.
  headers.set('accept-encoding', 'identity')
  return { method, headers, body }
}

/** The client's limits, lowered to what the request asks for. */
export function limitsOf(limits: OutboundLimits, request: OutboundRequest): OutboundLimits {
  const { timeoutMs = limits.totalMs, maxBytes = limits.maxBytes, redirects = 0 } = request
  return {
    ...limits,
    totalMs: Math.min(limits.totalMs, timeoutMs),
    maxBytes: Math.min(limits.maxBytes, maxBytes),
    maxRedirects: Math.min(limits.maxRedirects, redirects),
  }
}
