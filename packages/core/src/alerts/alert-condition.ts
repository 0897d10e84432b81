import type { AlertHost, AlertKind, AlertOwner, AlertSeverity } from './alert.ts'

/** Something that is wrong at the moment of an evaluation. */
export interface AlertCondition extends AlertOwner {
  readonly dedupKey: string
  readonly kind: AlertKind
  readonly severity: AlertSeverity
  readonly summary: string
  readonly host: AlertHost | undefined
  readonly details: Readonly<Record<string, unknown>>
  /** How long it has to hold before it opens an alert, in seconds; two ticks in a row at least. */
  readonly holdSeconds?: number
  /** Known only from before a host fell silent: keeps an alert open, opens none. */
  readonly isStale?: boolean
  /** What happened, where the condition is an event of the past: a person's word settles it for good. */
  readonly event?: string
}

/** Kinds whose own rule asks again before it speaks, so that no second tick is waited for. */
const CONFIRMED: ReadonlySet<AlertKind> = new Set(['monitor_drift', 'dns_unreachable'])

/** Whether a condition of this kind opens its alert at the first tick that finds it. */
export const isConfirmed = (kind: AlertKind): boolean => CONFIRMED.has(kind)
