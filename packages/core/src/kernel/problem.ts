/**
 * Reasons of the core for refusing. A closed union: a new code does not compile until HTTP's table of
 * statuses and sentences and the command line's table of exit codes both cover it.
 */
export type ProblemCode =
  | 'unauthorized'
  | 'forbidden'
  | 'credential-refused'
  | 'confirmation-required'
  | 'license-key-required'
  | 'license-rejected'
  | 'signing-not-configured'
  | 'signing-failed'
  | 'secrets-not-configured'
  | 'job-not-owned'
  | 'job-not-found'
  | 'not-found'
  | 'agent-not-owned'
  | 'hook-not-found'
  | 'too-many-hooks'
  | 'no-commit-in-push'
  | 'public-url-not-configured'
  | 'invalid-input'
  | 'ambiguous'
  | 'conflict'
  | 'revision-conflict'
  | 'would-lock-out'
  | 'unsupported'
  | 'rate-limited'
  | 'too-many-hosts'
  | 'relay-not-configured'
  | 'agent-key-mismatch'
  | 'unavailable'
  | 'domain-limit'
  | 'key-limit'
  | 'sending-domain-refused'
  | 'sending-domain-unverified'
  | 'all-suppressed'
  | 'email-quota'
  | 'email-not-configured'
  | 'idempotency-mismatch'
  | 'email-domains-not-configured'
  | 'surface-not-configured'
  | 'domain-not-proven'
  | 'billing-not-configured'
  | 'not-billable'
  | 'already-subscribed'
  | 'checkout-in-progress'
  | 'payment-provider'
  | 'payment-webhook-not-configured'
  | 'invalid-signature'
  | 'invalid-event'
  | 'event-not-applied'
  | 'browser-token-required'
  | 'browser-not-configured'
  | 'agent-model-not-configured'
  | 'url-not-allowed'
  | 'navigation-failed'
  | 'page-timeout'
  | 'page-too-large'
  | 'session-not-found'
  | 'session-busy'

/** Facts that go with a problem, safe to show: never a key, a token or a received value that may be one. */
export interface ProblemData {
  /** One sentence for an operator: the fault and the next step. */
  readonly detail?: string
  /** Field-scoped messages of a refused input, at most 12; or the reasons against it. */
  readonly details?: readonly string[]
  /** Candidates that an ambiguous name may mean. */
  readonly candidates?: readonly string[]
  /** The names of settings that are missing, or cannot be read. */
  readonly missing?: readonly string[]
  /** The tier that a license is subscribed to. */
  readonly tier?: string
  /** The revision that stands. */
  readonly revision?: number
  /** Why a page may not be opened or cannot be reached: a word of the service, or Chromium's. */
  readonly reason?: string
  /** Phase of a page that exceeded its time limit. */
  readonly phase?: string
  /** Whole seconds until another attempt makes sense, at least 1. */
  readonly retryAfterSeconds?: number
}

/** The only error that the core throws on purpose. Any other error is a fault. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly data: ProblemData

  constructor(code: ProblemCode, data: ProblemData = {}, options?: { cause?: unknown }) {
    super(data.detail ?? code, options)
    this.code = code
    this.data = data
  }
}
