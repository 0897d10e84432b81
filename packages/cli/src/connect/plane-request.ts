import { Problem } from '@svc/core/client'
import { type HttpCall, HttpClient, type Target } from './http-client.ts'

/** One request. `path` begins with a slash and is appended to the path of the address. */
export interface PlaneRequest extends Omit<HttpCall, 'body'> {
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
 * Time limit of a request: an operation may wait for its turn and then work on the database for five
 * seconds.
 */
const TIMEOUT_MS = 30_000
/** Operations that open pages take as long as their input says, and a little more. */
const LONGER_MS: Readonly<Record<string, number>> = { 'browser.scrape': 90_000, 'browser.run': 330_000 }
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
 * @throws Problem `unavailable` when no whole answer comes
 */
export async function askPlane(target: Target, { body, ...call }: PlaneRequest): Promise<Reply> {
  const timeoutMs = LONGER_MS[call.path.slice(call.path.lastIndexOf('/') + 1)] ?? TIMEOUT_MS
  using client = new HttpClient(target, { timeoutMs })
  const answer = await client.send(body === undefined ? call : { ...call, body: JSON.stringify(body) })
  if (answer.fault !== undefined)
    throw new Problem('unavailable', { detail: reasonOf(target, answer.fault, timeoutMs) })
  return {
    status: answer.status,
    body: typeof answer.body === 'object' && answer.body !== null ? { ...answer.body } : undefined,
    retryAfterSeconds: Number(answer.header('retry-after')) || undefined,
    setCookie: answer.header('set-cookie'),
  }
}

function reasonOf(target: Target, fault: string, timeoutMs: number): string {
  const where = target.url === undefined ? target.socketPath : new URL(target.url).origin
  if (fault === 'ETIMEDOUT') return `${where} did not answer within ${timeoutMs / 1000} s`
  if (ABSENT.has(fault)) return `nobody answers at ${where} (${fault}): is the control plane running?`
  if (/^(CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_SSL|EPROTO)/.test(fault))
    return `the certificate of ${where} cannot be trusted (${fault})`
  return `the answer of ${where} cannot be read (${fault})`
}
