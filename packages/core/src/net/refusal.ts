/** Every reason why a call brought no answer, from the first that is looked at to the last. */
export const REFUSALS = [
  /** Not an absolute URL with a host that can have addresses. */
  'bad-url',
  /** Not `https`, and not `http` where that was asked for. */
  'scheme',
  /** A user or password in the URL. */
  'credentials',
  /** A port of another protocol. */
  'port',
  /** The name has no address. */
  'unresolved',
  /** At least one of its addresses is not public unicast. */
  'not-public',
  /** No connection to any address. */
  'connect',
  /** No trusted connection: certificate, name or handshake. */
  'tls',
  /** A step or the whole took too long. */
  'timeout',
  /** What came back is not an HTTP answer. */
  'protocol',
  /** The connection ended before the answer was whole. */
  'broken',
  /** Headers or body over the cap. */
  'too-large',
  /**
   * A redirect that is not followed: none allowed, one too many, or one that would hand the body to another
   * host.
   */
  'redirect',
  /** The caller gave up, or the client was closed. */
  'cancelled',
] as const

/** Why a call brought no answer. */
export type Refusal = (typeof REFUSALS)[number]

/**
 * Carries a refusal from where it is found to where it is answered; leaves the outbound client by a stream's
 * body alone.
 */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly refusal: Refusal

  constructor(refusal: Refusal, options?: { cause?: unknown }) {
    super(refusal, options)
    this.refusal = refusal
  }
}

/** The constant that Node, OpenSSL or the HTTP parser gave an error, such as `ECONNREFUSED`. */
export function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : undefined
}

/** The refusal that stands for an error of the exchange; undefined for a fault of our own. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refused) return error.refusal
  // The parser's errors come without a code. An answer that had announced to close and ended early is one of
  // them.
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
