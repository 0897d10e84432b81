import { Problem } from '../../kernel/problem.ts'
import type { RecipientState } from '../../platform/deliveries/breaker.ts'
import type { DeliveryReport } from '../../platform/deliveries/delivery.ts'
import { OutboundRefused } from '../../platform/net/outbound-refusal.ts'
import { isPrivateName } from '../../platform/net/private-name.ts'
import { expectedTarget, readTarget } from '../../platform/net/target.ts'

/** Kind of the deliveries to endpoints; the recipient is the id of an endpoint, the payload a message. */
export const ENDPOINT_KIND = 'endpoint'

/** Reasons why nothing is sent to an endpoint. */
export const DISABLED_REASONS = ['manual', 'failing', 'gone'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

/** An address of a license that gets events. */
export interface WebhookEndpoint {
  readonly id: string
  readonly licenseId: string
  readonly tenantId: string | undefined
  readonly url: string
  readonly description: string
  /** `*`, types, and groups such as `job.*`. */
  readonly events: readonly string[]
  /** Sealed. */
  readonly secret: string
  /** Sealed; signs too until `oldSecretUntil`. */
  readonly oldSecret: string | undefined
  readonly oldSecretUntil: Date | undefined
  /** Why the service itself could not send, in one word, such as `secret_unavailable`. */
  readonly lastError: string | undefined
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** An endpoint with its delivery state (breaker, last success, last failure). */
export interface EndpointState {
  readonly endpoint: WebhookEndpoint
  readonly way: RecipientState
  /** Number of deliveries that wait. */
  readonly pending: number
}

/** A delivery to an endpoint, with its payload. */
export interface EndpointDelivery extends DeliveryReport {
  readonly type: string
  /** Whether an attempt is under way. */
  readonly isLeased: boolean
  /** When it was made, in microseconds of Unix time: with its id, its place in lists. */
  readonly micros: string
}

/** One attempt of a delivery. */
export interface DeliveryAttempt {
  readonly n: number
  readonly at: Date
  readonly durationMs: number
  readonly status: number | undefined
  readonly error: string | undefined
  /** First characters of the answer, without control characters, redacted. */
  readonly response: string
}

export const MAX_URL_CHARS = 2048
export const MAX_DESCRIPTION_CHARS = 200
export const MAX_PATTERNS = 50

/**
 * Returns an address in its normal form.
 * @throws Problem `invalid-input` for one that is never called. Names are resolved when something is sent.
 */
export function endpointUrl(
  text: string,
  { plainHttp, isAllowed }: { readonly plainHttp: boolean; readonly isAllowed: (address: string) => boolean },
): string {
  const refused = (what: string) => new Problem('invalid-input', { details: [`url: ${what}`] })
  if (text.includes('#')) throw refused('expected an address without a fragment')
  try {
    const { url, host, isLiteral } = readTarget(text, { plainHttp })
    const isClosed = isLiteral ? !isAllowed(host) : isPrivateName(host) || !host.includes('.')
    if (isClosed) throw refused('address not allowed')
    if (url.href.length > MAX_URL_CHARS) throw refused(`expected at most ${MAX_URL_CHARS} characters`)
    return url.href
  } catch (error) {
    if (!(error instanceof OutboundRefused)) throw error
    throw refused(expectedTarget(error, { plainHttp }))
  }
}

/** Whether text has characters that change how a line looks. */
export const hasControls = (text: string): boolean => /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(text)
