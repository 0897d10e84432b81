import type { IncomingHttpHeaders } from 'node:http'

// A list of preferences, each a token with an optional value and parameters (RFC 7240, section 2).
const WAIT = /(?:^|,)[ \t]*wait[ \t]{0,8}=[ \t]{0,8}"?(\d{1,6})"?[ \t]{0,8}(?:[;,]|$)/i
/** Longest header that is read; no client has need of more. */
const MAX_CHARS = 256

/**
 * The seconds that a client is ready to wait for its answer, `Prefer: wait=N`, at most `most`; undefined when
 * it does not say. As the RFC asks, a preference that cannot be read is passed over.
 */
export function preferredWait({ prefer }: IncomingHttpHeaders, most: number): number | undefined {
  const text = Array.isArray(prefer) ? prefer.join(',') : prefer
  if (text === undefined || text.length > MAX_CHARS) return undefined
  const [, seconds] = WAIT.exec(text) ?? []
  return seconds === undefined ? undefined : Math.min(most, Number(seconds))
}
