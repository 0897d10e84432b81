import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { linger } from '../dispatch/linger.ts'
import type { RequestIds } from '../observe/request-log.ts'

/** The answer on a connection whose bytes never became a request. */
export interface RawAnswer {
  readonly status: number
  readonly reason: string
  readonly error: string
}

const BAD_REQUEST: RawAnswer = { status: 400, reason: 'Bad Request', error: 'bad request' }
/** HTTP/1.1 asks for one Host header (RFC 9112, section 3.2). */
export const NO_HOST = BAD_REQUEST
/** The answer to CONNECT: the service is no proxy. */
export const NO_TUNNEL: RawAnswer = { status: 405, reason: 'Method Not Allowed', error: 'method not allowed' }

const BY_CODE: Readonly<Record<string, RawAnswer>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, reason: 'Request Timeout', error: 'request timeout' },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    reason: 'Request Header Fields Too Large',
    error: 'request header fields too large',
  },
}

/** The answer to a request that the parser gave up on. */
export const answerTo = (error: { readonly code?: string | undefined }): RawAnswer =>
  BY_CODE[error.code ?? ''] ?? BAD_REQUEST

/**
 * Writes an answer by hand, in the form of all answers, then closes the connection once the client has read
 * the answer.
 */
export function writeRaw(socket: Duplex, ids: RequestIds, { status, reason, error }: RawAnswer): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const body = JSON.stringify({ error })
  const head = Object.entries(headersOf(body, ids)).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${head.join('\r\n')}\r\n\r\n${body}`)
  linger(socket)
}

/** Sends the same answer to a request that was parsed, in its turn among the answers of the connection. */
export function refuseRaw(response: ServerResponse, ids: RequestIds, { status, error }: RawAnswer): void {
  const body = JSON.stringify({ error })
  response.writeHead(status, headersOf(body, ids)).end(body)
}

const headersOf = (body: string, ids: RequestIds) => ({
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Length': Buffer.byteLength(body),
  'Cache-Control': 'no-store',
  'Svc-Request-Id': ids.next(),
  Connection: 'close',
})
