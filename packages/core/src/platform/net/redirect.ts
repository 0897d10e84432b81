import type { Message, Received } from './exchange.ts'
import { OutboundRefused } from './outbound-refusal.ts'
import type { Target } from './target.ts'

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const REPEATS: ReadonlySet<number> = new Set([307, 308])

/**
 * The only headers that are sent to another origin: all others may be secrets between the caller and the
 * first origin.
 */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'user-agent',
])
const BODY_HEADERS = ['content-type', 'content-language', 'content-encoding', 'content-location'] as const

/** Returns the location of a redirect; undefined if the answer is not a redirect. */
export function redirectOf({ status, headers }: Pick<Received, 'status' | 'headers'>): string | undefined {
  return REDIRECTS.has(status) ? (headers.get('location') ?? undefined) : undefined
}

/**
 * Returns the request to the next target. As in browsers, 303 changes every method but HEAD to GET, 301 and
 * 302 change POST to GET, and 307 and 308 repeat the request. Unlike browsers, it never repeats a body to
 * another origin, and throws `OutboundRefused` instead.
 */
export function messageAfter(message: Message, status: number, from: Target, to: Target): Message {
  const isSameOrigin = from.url.origin === to.url.origin
  const becomesGet = status === 303 ? message.method !== 'HEAD' : message.method === 'POST'
  const isDropped = becomesGet && !REPEATS.has(status)
  const body = isDropped ? undefined : message.body
  if (body !== undefined && !isSameOrigin) throw new OutboundRefused('redirect')
  const headers = new Headers(message.headers)
  if (isDropped) for (const name of BODY_HEADERS) headers.delete(name)
  if (!isSameOrigin)
    for (const name of [...headers.keys()]) if (!HARMLESS_HEADERS.has(name)) headers.delete(name)
  return { method: isDropped ? 'GET' : message.method, headers, body }
}
