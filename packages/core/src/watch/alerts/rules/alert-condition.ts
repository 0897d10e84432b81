import type { AlertHost, AlertKind, AlertOwner, AlertSeverity } from '../alert.ts'
import type { AlertDetails } from '../alert-details.ts'

/** Something that is wrong at the moment of an evaluation. */
export interface AlertCondition extends AlertOwner {
  readonly dedupKey: string
  readonly kind: AlertKind
  readonly severity: AlertSeverity
  readonly summary: string
  readonly host: AlertHost | undefined
  readonly details: AlertDetails
  /**
   * How long the condition must hold before it opens an alert, in seconds. At least two ticks in a row must
   * find it.
   */
  readonly holdSeconds?: number
  /**
   * Whether the facts are from before the host went offline. A stale condition keeps an alert open but opens
   * none.
   */
  readonly isStale?: boolean
  /**
   * Id of the past event that the condition is about. Once a person resolves its alert, this event opens none
   * again.
   */
  readonly event?: string
}

/** Kinds whose rule repeats its own check before it reports, so that their alerts need no second tick. */
const CONFIRMED: ReadonlySet<AlertKind> = new Set([
  'monitor_drift',
  'dns_unreachable',
  'webhook_endpoint_disabled',
  'surface_finding',
  'payment_event',
  'duplicate_subscription',
  'provider_token_invalid',
  'multiple_servers',
])

/** Returns whether a condition of this kind opens its alert at the first tick that finds it. */
export const isConfirmed = (kind: AlertKind): boolean => CONFIRMED.has(kind)
