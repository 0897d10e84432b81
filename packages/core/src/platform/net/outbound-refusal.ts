/** Reasons why a call has no answer, in the order of the checks. */
export const OUTBOUND_REFUSALS = [
  /** Not an absolute URL with a host that can have addresses. */
  'bad-url',
  /** Not `https`, nor `http` if the request allows it. */
  'scheme',
  /** A user or password in the URL. */
  'credentials',
  /** A port of another protocol. */
  'port',
  /** The name has no address. */
  'unresolved',
  /** At least one address is not public unicast. */
  'not-public',
  /** No connection to any address. */
  'connect',
  /** No trusted connection: certificate, name or handshake. */
  'tls',
  /** A step or the whole call took too long. */
  'timeout',
  /** The answer is not valid HTTP. */
  'protocol',
  /** The connection ended before the answer was whole. */
  'broken',
  /** The headers or the body are over the limit. */
  'too-large',
  /**
   * A redirect that is not followed: none is allowed, there are too many, or it would send the body to
   * another origin.
   */
  'redirect',
  /** The caller gave up, or the client was closed. */
  'cancelled',
] as const

/** Reason why a call has no answer. */
export type OutboundRefusal = (typeof OUTBOUND_REFUSALS)[number]

/**
 * Error that carries a refusal inside the outbound client. Only the body of a stream throws it to callers.
 */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused'
  readonly refusal: OutboundRefusal

  constructor(refusal: OutboundRefusal, options?: { cause?: unknown }) {
    super(refusal, options)
    this.refusal = refusal
  }
}

/** Returns the error code of Node, OpenSSL or the HTTP parser, such as `ECONNREFUSED`. */
export function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : undefined
}

/** Returns the refusal for an error of the exchange, or undefined for an error of our own code. */
export function refusalOf(error: unknown): OutboundRefusal | undefined {
  if (error instanceof OutboundRefused) return error.refusal
  // Errors of the HTTP parser have no code. One of them means that the connection ended early.
  if (error instanceof Error && error.name === 'HTTPParserError') {
    return error.message.includes('(Invalid EOF state)') ? 'broken' : 'protocol'
  }
  const code = codeOf(error)
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'too-large'
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return 'protocol'
  if (code === 'UND_ERR_INVALID_ARG') return undefined
  const isFault = code === undefined && (error instanceof TypeError || error instanceof RangeError)
  return isFault ? undefined : 'broken'
}
