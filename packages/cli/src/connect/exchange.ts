import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { Problem } from '@svc/core'

/** Destination of a request: an address, or a socket file of this machine. */
export type Target =
  | { readonly url: string; readonly socketPath?: undefined }
  | { readonly socketPath: string; readonly url?: undefined }

/** One request. `path` begins with a slash and is appended to the path of the address. */
export interface Exchange {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** The answer to a request; `body` is undefined when it is no JSON object. */
export interface Reply {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>> | undefined
  readonly retryAfterSeconds: number | undefined
  /** The cookie that the answer sets, with its attributes. */
  readonly setCookie: string | undefined
}

/**
 * Time limit of an exchange: an operation may wait for its turn and then work on the database for five
 * seconds.
 */
const TIMEOUT_MS = 30_000
const ABSENT = new Set([
  'ENOENT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'EAI_AGAIN',
])

/**
 * Sends a request and reads the whole answer.
 * @throws Problem `unavailable` when nobody answers there
 */
export async function exchange(target: Target, call: Exchange): Promise<Reply> {
  try {
    const response = await send(target, call)
    const content = await text(response)
    return {
      status: response.statusCode ?? 0,
      body: parsed(content),
      retryAfterSeconds: Number(response.headers['retry-after']) || undefined,
      setCookie: response.headers['set-cookie']?.[0],
    }
  } catch (error) {
    throw unreachable(target, error)
  }
}

function send(target: Target, { method, path, headers, body }: Exchange): Promise<IncomingMessage> {
  const content = body === undefined ? undefined : JSON.stringify(body)
  const options: RequestOptions = {
    method,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      accept: 'application/json',
      ...(content === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
      ...headers,
    },
  }
  return new Promise((resolve, reject) => {
    const sent =
      target.url === undefined
        ? httpRequest({ ...options, socketPath: target.socketPath, path })
        : overNetwork(target.url, path, options)
    sent.on('response', resolve).on('error', reject).end(content)
  })
}

function overNetwork(base: string, path: string, options: RequestOptions) {
  const url = new URL(base)
  const [pathname = '', query] = path.split('?')
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${pathname}`
  url.search = query ?? ''
  if (url.protocol !== 'https:') return httpRequest(url, options)
  // This option overrules NODE_TLS_REJECT_UNAUTHORIZED. NODE_EXTRA_CA_CERTS adds a private authority.
  return httpsRequest(url, { ...options, rejectUnauthorized: true })
}

function parsed(content: string): Reply['body'] {
  try {
    const body: unknown = JSON.parse(content)
    return typeof body === 'object' && body !== null ? { ...body } : undefined
  } catch {
    return undefined
  }
}

function unreachable(target: Target, error: unknown): unknown {
  const { code = '', name = '' } = error as { code?: string; name?: string }
  const where = target.url === undefined ? target.socketPath : new URL(target.url).origin
  if (name === 'TimeoutError' || name === 'AbortError') {
    return new Problem(
      'unavailable',
      { detail: `${where} did not answer within ${TIMEOUT_MS / 1000} s` },
      { cause: error },
    )
  }
  if (ABSENT.has(code)) {
    return new Problem(
      'unavailable',
      { detail: `nobody answers at ${where} (${code}): is the control plane running?` },
      { cause: error },
    )
  }
  if (/^(CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_SSL|EPROTO)/.test(code)) {
    return new Problem(
      'unavailable',
      { detail: `the certificate of ${where} cannot be trusted (${code})` },
      { cause: error },
    )
  }
  return error
}
