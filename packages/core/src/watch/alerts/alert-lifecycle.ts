import type { AlertOwner } from './alert.ts'
import { type AlertCondition, isConfirmed } from './rules/alert-condition.ts'

/** Two ticks that find a condition count as two only if they are at least this far apart. */
export const TICKS_APART_MS = 20_000
/** A condition that returns within this time after its alert was resolved reopens the same alert. */
export const REOPEN_MS = 600_000
/**
 * An alert flaps when it makes this many transitions within `FLAP_MS`. Transitions exactly that old no longer
 * count.
 */
export const FLAP_TRANSITIONS = 4
export const FLAP_MS = 1_800_000
/** An acknowledgement lasts this long, in seconds. */
export const ACK_SECONDS = 86_400

/** The latest alert of a dedup key, reduced to the facts that the next step depends on. */
export interface KeyedAlert {
  readonly id: string
  readonly resolvedAt: Date | undefined
  readonly flapping: boolean
  readonly isAcknowledged: boolean
  /** Whether the current opening was announced on any channel. */
  readonly isAnnounced: boolean
  readonly event: string | undefined
}

/** Stored state of a dedup key. */
export interface AlertKey extends AlertOwner {
  readonly dedupKey: string
  /** Grows with each write; 0 if the key is not stored yet. */
  readonly revision: number
  /** First of the consecutive ticks that found the condition while no alert was open. */
  readonly pendingSince: Date | undefined
  /** Whether the last evaluation found the condition. */
  readonly isPresent: boolean
  /** When the alert recently opened and closed, in milliseconds since 1970. */
  readonly transitions: readonly number[]
  /** The event whose alert a person has resolved. */
  readonly dismissed: string | undefined
  readonly snoozedUntil: Date | undefined
  readonly alert: KeyedAlert | undefined
}

/** Changes of an alert that are announced. */
export const ALERT_TRANSITIONS = ['firing', 'flapping', 'resolved'] as const
export type AlertTransition = (typeof ALERT_TRANSITIONS)[number]

/** The part of a key that a step replaces. */
export type AlertKeyState = Pick<AlertKey, 'pendingSince' | 'isPresent' | 'transitions' | 'dismissed'>

/** Decision of one evaluation about one dedup key. */
export interface LifecycleStep {
  readonly state: AlertKeyState
  readonly alert: 'none' | 'open' | 'reopen' | 'keep' | 'resolve'
  readonly flapping: boolean
  readonly notice: AlertTransition | undefined
}

/** Returns a dedup key that is not stored yet. */
export const newAlertKey = ({ licenseId, tenantId, dedupKey }: AlertCondition): AlertKey => ({
  licenseId,
  tenantId,
  dedupKey,
  revision: 0,
  pendingSince: undefined,
  isPresent: false,
  transitions: [],
  dismissed: undefined,
  snoozedUntil: undefined,
  alert: undefined,
})

const recent = (key: AlertKey, at: Date): readonly number[] =>
  key.transitions.filter((transition) => transition > at.getTime() - FLAP_MS)

// A snooze is over at the instant `snoozedUntil`, as in the SQL of alert statuses.
const isSnoozed = ({ snoozedUntil }: AlertKey, at: Date): boolean =>
  snoozedUntil !== undefined && snoozedUntil > at

/**
 * Returns the next step for one dedup key at one tick. An alert opens after two ticks in a row, or at once if
 * its kind is confirmed. A condition that returns within ten minutes reopens the same alert. A flapping alert
 * is held open, and a snoozed one is not announced.
 */
export function nextStep(key: AlertKey, condition: AlertCondition | undefined, at: Date): LifecycleStep {
  const isOpen = key.alert !== undefined && key.alert.resolvedAt === undefined
  if (!isOpen) return whileClosed(key, condition, at)
  return condition === undefined ? whenGone(key, at) : whileHolding(key, at)
}

function whileClosed(key: AlertKey, condition: AlertCondition | undefined, at: Date): LifecycleStep {
  const transitions = recent(key, at)
  const isSettled = condition?.event !== undefined && condition.event === key.dismissed
  const dismissed = isSettled ? key.dismissed : undefined
  const state = { pendingSince: undefined, isPresent: false, transitions, dismissed }
  const none = { alert: 'none', flapping: false, notice: undefined } as const
  if (condition === undefined || condition.isStale || isSettled) return { ...none, state }
  const { pendingSince } = key
  if (!isDue(condition, pendingSince, at))
    return { ...none, state: { ...state, pendingSince: pendingSince ?? at, isPresent: true } }
  return opening({ ...key, transitions: [...transitions, at.getTime()] }, at)
}

function isDue({ kind, holdSeconds = 0 }: AlertCondition, pendingSince: Date | undefined, at: Date): boolean {
  if (isConfirmed(kind)) return true
  const holdMs = Math.max(holdSeconds * 1000, TICKS_APART_MS)
  return pendingSince !== undefined && at.getTime() - pendingSince.getTime() >= holdMs
}

function opening(key: AlertKey, at: Date): LifecycleStep {
  const { alert, transitions } = key
  const closed = alert?.resolvedAt?.getTime() ?? Number.NEGATIVE_INFINITY
  const flapping = transitions.length >= FLAP_TRANSITIONS
  return {
    state: { pendingSince: undefined, isPresent: true, transitions, dismissed: undefined },
    alert: at.getTime() - closed < REOPEN_MS ? 'reopen' : 'open',
    flapping,
    notice: isSnoozed(key, at) ? undefined : flapping ? 'flapping' : 'firing',
  }
}

/** An alert that opened while snoozed is announced at the first tick after the snooze. */
function whileHolding(key: AlertKey, at: Date): LifecycleStep {
  const wasFlapping = key.alert?.flapping === true
  const before = recent(key, at)
  const transitions = wasFlapping && !key.isPresent ? [...before, at.getTime()] : before
  const isQuiet = isSnoozed(key, at) || key.alert?.isAcknowledged === true || key.alert?.isAnnounced === true
  return {
    state: { pendingSince: undefined, isPresent: true, transitions, dismissed: undefined },
    alert: 'keep',
    flapping: wasFlapping && transitions.length >= FLAP_TRANSITIONS,
    notice: isQuiet ? undefined : 'firing',
  }
}

function whenGone(key: AlertKey, at: Date): LifecycleStep {
  const before = recent(key, at)
  const wasFlapping = key.alert?.flapping === true
  const transitions = wasFlapping && !key.isPresent ? before : [...before, at.getTime()]
  const state = { pendingSince: undefined, isPresent: false, transitions, dismissed: undefined }
  if (transitions.length >= FLAP_TRANSITIONS) {
    const notice = wasFlapping || isSnoozed(key, at) ? undefined : 'flapping'
    return { state, alert: 'keep', flapping: true, notice }
  }
  // The end of an alert counts as a transition. If it was counted while the flapping alert was held open, it
  // is not counted again.
  return { state, alert: 'resolve', flapping: false, notice: 'resolved' }
}

/**
 * Returns the step for a person's resolution of an open alert. If the alert is about an event, the event is
 * dismissed.
 */
export const resolvedByHand = (key: AlertKey, at: Date): LifecycleStep => ({
  state: {
    pendingSince: undefined,
    isPresent: false,
    transitions: [...recent(key, at), at.getTime()],
    dismissed: key.alert?.event,
  },
  alert: 'resolve',
  flapping: false,
  notice: 'resolved',
})

/** Returns whether the state of a key can be deleted: nothing in it affects later steps. */
export function isForgettable(key: AlertKey, { state, alert }: LifecycleStep, at: Date): boolean {
  const { pendingSince, transitions, dismissed } = state
  if (alert !== 'none' || pendingSince !== undefined || transitions.length > 0 || dismissed !== undefined) {
    return false
  }
  const closed = key.alert?.resolvedAt?.getTime() ?? Number.NEGATIVE_INFINITY
  return !isSnoozed(key, at) && at.getTime() - closed >= REOPEN_MS
}
