import type { AlertOwner } from './alert.ts'
import { type AlertCondition, isConfirmed } from './alert-condition.ts'

/**
 * Two ticks that find a condition count as two when they are so far apart; whoever calls sooner repeats the
 * first.
 */
export const TICKS_APART_MS = 20_000
/** A condition that comes back so soon after its alert was resolved opens the same row again. */
export const REOPEN_MS = 600_000
/** As many transitions in this time are flapping. One that is exactly so old counts no more. */
export const FLAP_TRANSITIONS = 4
export const FLAP_MS = 1_800_000
/** An acknowledgement is good for so long, in seconds. */
export const ACK_SECONDS = 86_400

/** The latest alert of a dedup key, as far as the next step depends on it. */
export interface WatchedAlert {
  readonly id: string
  readonly resolvedAt: Date | undefined
  readonly flapping: boolean
  readonly isAcknowledged: boolean
  /** Whether its present opening was announced anywhere. */
  readonly isAnnounced: boolean
  readonly event: string | undefined
}

/** What is remembered of a dedup key. */
export interface Watch extends AlertOwner {
  readonly dedupKey: string
  /** Grows with each write; 0: nothing is remembered yet. */
  readonly revision: number
  /** First tick of those in a row that found the condition while no alert was open. */
  readonly pendingSince: Date | undefined
  /** Whether the last evaluation found the condition. */
  readonly isPresent: boolean
  /** When the alert opened and closed of late, milliseconds since 1970. */
  readonly transitions: readonly number[]
  /** The event that a person has settled. */
  readonly dismissed: string | undefined
  readonly snoozedUntil: Date | undefined
  readonly alert: WatchedAlert | undefined
}

/** What is announced of an alert. */
export const ALERT_TRANSITIONS = ['firing', 'flapping', 'resolved'] as const
export type AlertTransition = (typeof ALERT_TRANSITIONS)[number]

/** What is remembered from now on. */
export type Memory = Pick<Watch, 'pendingSince' | 'isPresent' | 'transitions' | 'dismissed'>

/** What an evaluation does about one dedup key. */
export interface LifecycleStep {
  readonly memory: Memory
  readonly alert: 'none' | 'open' | 'reopen' | 'keep' | 'resolve'
  readonly flapping: boolean
  readonly notice: AlertTransition | undefined
}

/** A key that nothing is known of. */
export const unwatched = ({ licenseId, tenantId, dedupKey }: AlertCondition): Watch => ({
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

const recent = (watch: Watch, at: Date): readonly number[] =>
  watch.transitions.filter((transition) => transition > at.getTime() - FLAP_MS)

// Over at its very instant, as the status that SQL shows.
const isSnoozed = ({ snoozedUntil }: Watch, at: Date): boolean =>
  snoozedUntil !== undefined && snoozedUntil > at

/**
 * The one rule of an alert's life, for one dedup key at one tick: opens after two ticks in a row, or at once
 * where its kind is confirmed; comes back in its own row within ten minutes, is held open while it flaps, is
 * silent while snoozed.
 */
export function nextStep(watch: Watch, condition: AlertCondition | undefined, at: Date): LifecycleStep {
  const isOpen = watch.alert !== undefined && watch.alert.resolvedAt === undefined
  if (!isOpen) return whileClosed(watch, condition, at)
  return condition === undefined ? whenGone(watch, at) : whileHolding(watch, at)
}

function whileClosed(watch: Watch, condition: AlertCondition | undefined, at: Date): LifecycleStep {
  const transitions = recent(watch, at)
  const isSettled = condition?.event !== undefined && condition.event === watch.dismissed
  const dismissed = isSettled ? watch.dismissed : undefined
  const memory = { pendingSince: undefined, isPresent: false, transitions, dismissed }
  const none = { alert: 'none', flapping: false, notice: undefined } as const
  if (condition === undefined || condition.isStale || isSettled) return { ...none, memory }
  const { pendingSince } = watch
  if (!isDue(condition, pendingSince, at))
    return { ...none, memory: { ...memory, pendingSince: pendingSince ?? at, isPresent: true } }
  return opening({ ...watch, transitions: [...transitions, at.getTime()] }, at)
}

function isDue({ kind, holdSeconds = 0 }: AlertCondition, pendingSince: Date | undefined, at: Date): boolean {
  if (isConfirmed(kind)) return true
  const holdMs = Math.max(holdSeconds * 1000, TICKS_APART_MS)
  return pendingSince !== undefined && at.getTime() - pendingSince.getTime() >= holdMs
}

function opening(watch: Watch, at: Date): LifecycleStep {
  const { alert, transitions } = watch
  const closed = alert?.resolvedAt?.getTime() ?? Number.NEGATIVE_INFINITY
  const flapping = transitions.length >= FLAP_TRANSITIONS
  return {
    memory: { pendingSince: undefined, isPresent: true, transitions, dismissed: undefined },
    alert: at.getTime() - closed < REOPEN_MS ? 'reopen' : 'open',
    flapping,
    notice: isSnoozed(watch, at) ? undefined : flapping ? 'flapping' : 'firing',
  }
}

/** An alert that opened under a snooze, or in the end of one, is announced when the snooze is over. */
function whileHolding(watch: Watch, at: Date): LifecycleStep {
  const wasFlapping = watch.alert?.flapping === true
  const before = recent(watch, at)
  const transitions = wasFlapping && !watch.isPresent ? [...before, at.getTime()] : before
  const isQuiet =
    isSnoozed(watch, at) || watch.alert?.isAcknowledged === true || watch.alert?.isAnnounced === true
  return {
    memory: { pendingSince: undefined, isPresent: true, transitions, dismissed: undefined },
    alert: 'keep',
    flapping: wasFlapping && transitions.length >= FLAP_TRANSITIONS,
    notice: isQuiet ? undefined : 'firing',
  }
}

function whenGone(watch: Watch, at: Date): LifecycleStep {
  const before = recent(watch, at)
  const wasFlapping = watch.alert?.flapping === true
  const transitions = wasFlapping && !watch.isPresent ? before : [...before, at.getTime()]
  const memory = { pendingSince: undefined, isPresent: false, transitions, dismissed: undefined }
  if (transitions.length >= FLAP_TRANSITIONS) {
    const notice = wasFlapping || isSnoozed(watch, at) ? undefined : 'flapping'
    return { memory, alert: 'keep', flapping: true, notice }
  }
  // The end of a flapping alert is its own transition, unless the last one was counted while it was held
  // open.
  return { memory, alert: 'resolve', flapping: false, notice: 'resolved' }
}

/** What a person's word does to an open alert: it ends, and an event that it was about is settled. */
export const resolvedByHand = (watch: Watch, at: Date): LifecycleStep => ({
  memory: {
    pendingSince: undefined,
    isPresent: false,
    transitions: [...recent(watch, at), at.getTime()],
    dismissed: watch.alert?.event,
  },
  alert: 'resolve',
  flapping: false,
  notice: 'resolved',
})

/** Whether a key may be forgotten: nothing of it would change what happens next. */
export function isForgettable(watch: Watch, { memory, alert }: LifecycleStep, at: Date): boolean {
  const { pendingSince, transitions, dismissed } = memory
  if (alert !== 'none' || pendingSince !== undefined || transitions.length > 0 || dismissed !== undefined) {
    return false
  }
  const closed = watch.alert?.resolvedAt?.getTime() ?? Number.NEGATIVE_INFINITY
  return !isSnoozed(watch, at) && at.getTime() - closed >= REOPEN_MS
}
