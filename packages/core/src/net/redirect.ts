import type { Message, Received } from './exchange.ts'
import { Refused } from './refusal.ts'
import type { Target } from './target.ts'

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const REPEATS: ReadonlySet<number> = new Set([307, 308])

/**
 * All that another origin gets to see: whatever else the caller sent may be a secret between it and the
 * first.
 */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'user-agent',
])
const BODY_HEADERS = ['content-type', 'content-language', 'content-encoding', 'content-location'] as const

/** Where an answer sends the caller; undefined when it is the answer. */
export function redirectOf({ status, headers }: Pick<Received, 'status' | 'headers'>): string | undefined {
  return REDIRECTS.has(status) ? (headers.get('location') ?? undefined) : undefined
}

/**
 * What is sent to the next target. As browsers do, 303 turns everything but HEAD into GET, 301 and 302 turn
 * POST into GET, and 307 and 308 repeat; unlike them, a body is never repeated to another origin. Throws
 * `Refused`.
 */
export function messageAfter(message: Message, status: number, from: Target, to: Target): Message {
  const isSameOrigin = from.url.origin === to.url.origin
  const becomesGet = status === 303 ? message.method !== 'HEAD' : message.method === 'POST'
  const isDropped = becomesGet && !REPEATS.has(status)
  const body = isDropped ? undefined : message.body
  if (body !== undefined && !isSameOrigin) throw new Refused('redirect')
  const headers = new Headers(message.headers)
  if (isDropped) for (const name of BODY_HEADERS) headers.delete(name)
  if (!isSameOrigin)
    for (const name of [...headers.keys()]) if (!HARMLESS_HEADERS.has(name)) headers.delete(name)
  return { method: isDropped ? 'GET' : message.method, headers, body }
}
