import { Problem, type ProblemCode } from '@svc/core'
import type { Reply } from './route.ts'

/** Codes of errors that only HTTP has. */
export type WireCode =
  | 'body-was-read'
  | 'invalid-json'
  | 'method-not-allowed'
  | 'payload-too-large'
  | 'upgrade-required'
  | 'internal'

/** A refusal with a code that only HTTP has. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: WireCode
  readonly headers: Readonly<Record<string, string>>
  /** The next step, told to everybody. */
  readonly detail: string | undefined

  constructor(code: WireCode, headers: Readonly<Record<string, string>> = {}, detail?: string) {
    super(code)
    this.code = code
    this.headers = headers
    this.detail = detail
  }
}

/** The client went away before it was answered. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/** Every refusal with its status and its sentence, word for word the spec's where the spec has one. */
export const FAILURES = {
  unauthorized: { status: 401, error: 'unauthorized' },
  forbidden: { status: 403, error: 'forbidden' },
  'credential-refused': { status: 403, error: 'forbidden' },
  'confirmation-required': { status: 403, error: 'confirmation required' },
  'license-key-required': { status: 400, error: 'license key required' },
  'license-rejected': { status: 403, error: 'license rejected' },
  'signing-not-configured': { status: 503, error: 'control plane signing key not configured' },
  'signing-failed': { status: 500, error: 'could not mint license token' },
  'secrets-not-configured': { status: 503, error: 'secret storage not configured' },
  'job-not-owned': { status: 404, error: 'job not found / not owned' },
  'job-not-found': { status: 404, error: 'job not found for this license' },
  'agent-not-owned': { status: 404, error: 'agent not found / not owned' },
  'hook-not-found': { status: 404, error: 'hook not found' },
  'too-many-hooks': { status: 409, error: 'hook limit reached' },
  'no-commit-in-push': { status: 400, error: 'no commit sha in push' },
  'public-url-not-configured': { status: 503, error: 'public url not configured' },
  'not-found': { status: 404, error: 'not found' },
  'invalid-input': { status: 400, error: 'invalid request body' },
  ambiguous: { status: 409, error: 'ambiguous' },
  conflict: { status: 409, error: 'conflict' },
  'revision-conflict': { status: 409, error: 'revision conflict' },
  'would-lock-out': { status: 409, error: 'settings would lock out ssh' },
  unsupported: { status: 409, error: 'unsupported' },
  'rate-limited': { status: 429, error: 'rate limit exceeded' },
  'too-many-hosts': { status: 429, error: 'too many hosts for this license' },
  'key-limit': { status: 409, error: 'key limit reached' },
  'sending-domain-refused': { status: 403, error: 'sending domain not allowed for this key' },
  'sending-domain-unverified': { status: 422, error: 'sending domain not verified' },
  'all-suppressed': { status: 422, error: 'all recipients suppressed' },
  'email-quota': { status: 429, error: 'daily email quota exceeded' },
  'email-not-configured': { status: 503, error: 'email delivery not configured' },
  'idempotency-mismatch': { status: 409, error: 'idempotency key reused with a different body' },
  'domain-limit': { status: 409, error: 'domain limit reached' },
  'email-domains-not-configured': { status: 503, error: 'email domains not configured' },
  'surface-not-configured': { status: 503, error: 'attack surface scanning not configured' },
  'domain-not-proven': { status: 403, error: 'domain ownership not proven' },
  'billing-not-configured': { status: 503, error: 'billing not configured' },
  'not-billable': { status: 409, error: 'license is not billable' },
  'already-subscribed': { status: 409, error: 'license already has an active subscription' },
  'checkout-in-progress': { status: 409, error: 'checkout in progress' },
  'payment-provider': { status: 502, error: 'payment provider error' },
  'payment-webhook-not-configured': { status: 503, error: 'payment webhook not configured' },
  'invalid-signature': { status: 400, error: 'invalid signature' },
  'invalid-event': { status: 400, error: 'invalid event' },
  'event-not-applied': { status: 500, error: 'event not applied' },
  'relay-not-configured': { status: 503, error: 'relay not configured' },
  'agent-key-mismatch': { status: 403, error: 'agent key mismatch' },
  'browser-token-required': { status: 403, error: 'browser token required' },
  'browser-not-configured': { status: 503, error: 'browser worker not configured' },
  'agent-model-not-configured': { status: 503, error: 'agent model not configured' },
  'url-not-allowed': { status: 422, error: 'url not allowed' },
  'navigation-failed': { status: 502, error: 'navigation failed' },
  'page-timeout': { status: 504, error: 'timeout' },
  'page-too-large': { status: 413, error: 'page too large' },
  'session-not-found': { status: 404, error: 'session not found' },
  'session-busy': { status: 409, error: 'session busy' },
  unavailable: { status: 503, error: 'service unavailable' },
  'body-was-read': { status: 503, error: 'body was read before' },
  'invalid-json': { status: 400, error: 'invalid JSON body' },
  'method-not-allowed': { status: 405, error: 'method not allowed' },
  'payload-too-large': { status: 413, error: 'payload too large' },
  'upgrade-required': { status: 426, error: 'upgrade required' },
  internal: { status: 500, error: 'internal error' },
} as const satisfies Readonly<
  Record<ProblemCode | WireCode, { readonly status: number; readonly error: string }>
>

/** The code of a refusal; `internal` for every other error. */
export const codeOf = (error: unknown): ProblemCode | WireCode =>
  error instanceof Problem || error instanceof Refusal ? error.code : 'internal'

/** The facts of a route that the text of a refusal depends on. */
export interface RefusedBy {
  /**
   * The body also has the code, the sentence for operators and the candidates; hosts and anonymous callers do
   * not get them.
   */
  readonly operatorErrors?: boolean
  /** The route accepts a bearer credential. */
  readonly takesBearer?: boolean
  /** The route takes no body, so invalid input is in the query. */
  readonly isBodyless?: boolean
}

/** Refusals whose reasons everybody is told. */
const SHOWS_DETAILS: ReadonlySet<string> = new Set(['would-lock-out', 'unsupported'])
/** Refusals that tell everybody the next step. */
const SHOWS_DETAIL: ReadonlySet<string> = new Set(['credential-refused'])
const INVALID_QUERY = 'invalid query'

/** The reply to a refusal. The reply to an unexpected error shows nothing of the error. */
export function failureReply(
  error: unknown,
  { operatorErrors = false, takesBearer = false, isBodyless = false }: RefusedBy = {},
): Reply {
  const code = codeOf(error)
  const { status } = FAILURES[code]
  const sentence = code === 'invalid-input' && isBodyless ? INVALID_QUERY : FAILURES[code].error
  const data = error instanceof Problem ? error.data : {}
  const { detail, details, candidates, revision, reason, phase, missing, tier } = data
  const body = {
    error: sentence,
    ...(operatorErrors ? { code } : {}),
    ...((operatorErrors || SHOWS_DETAIL.has(code)) && detail !== undefined ? { detail } : {}),
    ...(error instanceof Refusal && error.detail !== undefined ? { detail: error.detail } : {}),
    ...(code === 'invalid-input' ? { details: details ?? [] } : {}),
    ...(SHOWS_DETAILS.has(code) && details !== undefined ? { details } : {}),
    ...(revision === undefined ? {} : { revision }),
    ...(missing === undefined ? {} : { missing }),
    ...(tier === undefined ? {} : { tier }),
    ...(reason === undefined ? {} : { reason }),
    ...(phase === undefined ? {} : { phase }),
    ...(operatorErrors && candidates !== undefined ? { candidates } : {}),
  }
  return {
    status,
    body,
    headers: { ...headersOf(error), ...(status === 401 && takesBearer ? CHALLENGE : {}) },
  }
}

// RFC 9110 asks a 401 to name an accepted scheme. There is no scheme for a cookie.
const CHALLENGE = { 'WWW-Authenticate': 'Bearer' }

function headersOf(error: unknown): Readonly<Record<string, string>> {
  if (error instanceof Refusal) return error.headers
  const seconds = error instanceof Problem ? error.data.retryAfterSeconds : undefined
  return seconds === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) }
}
