import type { DeliveryOutcome } from '../../platform/deliveries/delivery.ts'

/** Refusals of the outbound client as the API of webhooks tells them. */
const ERRORS: Readonly<Record<string, string>> = {
  unresolved: 'dns_error',
  connect: 'connect_error',
  protocol: 'connect_error',
  broken: 'connect_error',
  tls: 'tls_error',
  timeout: 'timeout',
  'too-large': 'response_too_large',
  redirect: 'redirect',
  'not-public': 'blocked_address',
  'bad-url': 'blocked_address',
  scheme: 'blocked_address',
  credentials: 'blocked_address',
  port: 'blocked_address',
}

/** Statuses that mean "slow down". */
const TIRED: ReadonlySet<number> = new Set([429, 502, 503, 504])
const REST_SECONDS = 60

/** Returns an outcome with its error as the API of webhooks tells it, and how long the receiver rests. */
export function answerOf(outcome: DeliveryOutcome, at: Date): DeliveryOutcome {
  const { delivered, status, error, retryAfter } = outcome
  if (delivered || error === undefined || error === 'cancelled') return outcome
  const restSeconds = error === 'timeout' || TIRED.has(status ?? 0) ? REST_SECONDS : undefined
  const retryAfterSeconds = secondsOf(retryAfter, at)
  return { ...outcome, error: errorOf(status, error), restSeconds, retryAfterSeconds }
}

function errorOf(status: number | undefined, error: string): string {
  if (status === undefined) return ERRORS[error] ?? 'connect_error'
  return status >= 300 && status < 400 ? 'redirect' : `http_${status}`
}

/** Reads a header `Retry-After`: whole seconds, or a date. Anything else is ignored. */
export function secondsOf(text: string | undefined, at: Date): number | undefined {
  if (text === undefined) return undefined
  const given = text.trim()
  if (/^\d{1,15}$/.test(given)) return Number(given)
  // An HTTP date begins with the name of a day (RFC 9110, section 5.6.7).
  const date = /^[A-Z][a-z]{2,8},? /.test(given) ? Date.parse(given) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - at.getTime()) / 1000))
}
