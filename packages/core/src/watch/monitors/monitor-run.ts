import {
  type AnswerSet,
  canonicalSet,
  fits,
  type RecordType,
  sameSet,
} from '../../platform/dns/dns-answer.ts'
import type { DnsReply } from '../../platform/dns/dns-client.ts'
import { ERRORS_IN_A_ROW, type Findings, type Monitor, type MonitorError, type Pending } from './monitor.ts'

/** Combined result of querying all resolvers once. An empty answer means NXDOMAIN or NODATA. */
export type Observation =
  | { readonly answer: AnswerSet; readonly error?: undefined }
  | { readonly error: MonitorError; readonly answer?: undefined }

/**
 * Outcomes of a run. `ok` and `drift`: the answer is confirmed · `unconfirmed`: a difference must be seen
 * again · `waiting`: the name of a baseline has no records yet · `error`: no answer.
 */
export const RUN_OUTCOMES = ['ok', 'drift', 'unconfirmed', 'waiting', 'error'] as const
export type RunOutcome = (typeof RUN_OUTCOMES)[number]

/** State changes of a monitor by a run; each is reported once. */
export const TRANSITIONS = ['drifted', 'recovered', 'unreachable', 'reachable'] as const
export type TransitionKind = (typeof TRANSITIONS)[number]

/** Verdict of a run, with the findings after it but without their instants. */
export interface Judgement {
  readonly outcome: RunOutcome
  readonly observation: Observation
  /** Whether the confirmed answer differs from the previous one; false for the first one. */
  readonly changed: boolean
  readonly transitions: readonly TransitionKind[]
  readonly after: Omit<Findings, 'driftedAt' | 'unreachableAt'> & {
    readonly drifted: boolean
    readonly unreachable: boolean
  }
}

/**
 * Combines the replies of all resolvers. Resolvers without an answer are ignored if another one answers.
 * Answers that differ are an error, never drift.
 */
export function combine(type: RecordType, replies: readonly DnsReply[]): Observation {
  const seen = replies.map((reply) => observe(type, reply))
  const answers = seen.flatMap(({ answer }) => (answer === undefined ? [] : [answer]))
  const [first] = answers
  if (first === undefined) return { error: seen[0]?.error ?? 'unreachable' }
  return answers.every((answer) => sameSet(answer, first)) ? { answer: first } : { error: 'inconsistent' }
}

function observe(type: RecordType, reply: DnsReply): Observation {
  if (reply.status === 'error') return { error: reply.error }
  const answer = canonicalSet(type, reply.status === 'records' ? reply.records : [])
  return answer === undefined ? { error: 'malformed' } : { answer }
}

const isAsExpected = ({ type, match }: Monitor, expected: AnswerSet, answer: AnswerSet): boolean =>
  fits(type, match, expected, answer)

/** Returns the expectation for an answer. A baseline takes it from its first answer that has records. */
const expectationOf = ({ mode, expected }: Monitor, answer: AnswerSet): AnswerSet | undefined =>
  expected ?? (mode === 'baseline' && answer.length > 0 ? answer : undefined)

/**
 * Returns whether the answer differs from the confirmed state, so that the question must be repeated at once.
 */
export function isDifference(monitor: Monitor, { answer }: Observation): boolean {
  if (answer === undefined) return false
  const expected = expectationOf(monitor, answer)
  if (expected === undefined) return false
  const fitting = isAsExpected(monitor, expected, answer)
  if (fitting !== (monitor.driftedAt === undefined)) return true
  return monitor.confirmed !== undefined && !sameSet(answer, monitor.confirmed)
}

type Change = Partial<Omit<Judgement, 'observation' | 'after'>> & {
  readonly after?: Partial<Judgement['after']>
}

/**
 * Returns a judgement that keeps the monitor's state except for `change`. It resets the count of errors in a
 * row.
 */
function judgement(
  monitor: Monitor,
  observation: Observation,
  outcome: RunOutcome,
  change: Change,
): Judgement {
  const { expected, confirmed, driftedAt, unreachableAt } = monitor
  const wasUnreachable = unreachableAt !== undefined
  const back = wasUnreachable && observation.error === undefined ? (['reachable'] as const) : []
  return {
    outcome,
    observation,
    changed: change.changed ?? false,
    transitions: [...back, ...(change.transitions ?? [])],
    after: {
      expected,
      confirmed,
      pending: undefined,
      drifted: driftedAt !== undefined,
      errorStreak: 0,
      error: undefined,
      unreachable: false,
      ...change.after,
    },
  }
}

/**
 * Judges a run without an answer. Its error says nothing about the zone, so drift and pending differences
 * stay as they were.
 */
function failed(monitor: Monitor, observation: Observation): Judgement {
  const wasUnreachable = monitor.unreachableAt !== undefined
  const errorStreak = monitor.errorStreak + 1
  const unreachable = wasUnreachable || errorStreak >= ERRORS_IN_A_ROW
  return judgement(monitor, observation, 'error', {
    transitions: unreachable && !wasUnreachable ? ['unreachable'] : [],
    after: { pending: monitor.pending, errorStreak, error: observation.error, unreachable },
  })
}

/** Judges a run whose answer is confirmed. */
function confirmed(monitor: Monitor, expected: AnswerSet, answer: AnswerSet): Judgement {
  const drifted = !isAsExpected(monitor, expected, answer)
  const wasDrifted = monitor.driftedAt !== undefined
  const turned = drifted ? 'drifted' : 'recovered'
  return judgement(monitor, { answer }, drifted ? 'drift' : 'ok', {
    changed: monitor.confirmed !== undefined && !sameSet(monitor.confirmed, answer),
    transitions: drifted === wasDrifted ? [] : [turned],
    after: { expected, confirmed: answer, drifted },
  })
}

function seenBefore(pending: Pending | undefined, answer: AnswerSet, fitting: boolean): number {
  if (pending === undefined || pending.fits !== fitting) return 0
  // Unexpected answers may differ from each other: the drift is confirmed, and not its values.
  return !fitting || sameSet(pending.answer, answer) ? pending.seen : 0
}

/** Judges a run that repeated its question because of a difference. */
function differing(
  monitor: Monitor,
  expected: AnswerSet,
  answers: readonly [AnswerSet, AnswerSet],
): Judgement {
  const [first, second] = answers
  const fitting = isAsExpected(monitor, expected, second)
  const wasDrifted = monitor.driftedAt !== undefined
  const observation = { answer: second }
  if (isAsExpected(monitor, expected, first) !== fitting) {
    return judgement(monitor, observation, 'unconfirmed', {})
  }
  // Answers that vary within the expectation are fine, and none of them becomes the confirmed one.
  if (fitting && !wasDrifted && !sameSet(first, second)) return judgement(monitor, observation, 'ok', {})
  const seen = seenBefore(monitor.pending, second, fitting) + 1
  if (seen >= monitor.confirmations) return confirmed(monitor, expected, second)
  return judgement(monitor, observation, 'unconfirmed', {
    after: { pending: { answer: second, fits: fitting, seen } },
  })
}

/**
 * Judges one run (docs/monitors.md). `second` is the repeated question if `isDifference` asked for it. A
 * difference, recovery included, is confirmed when both answers agree on it in as many runs in a row as the
 * monitor has confirmations.
 */
export function judge(monitor: Monitor, first: Observation, second: Observation | undefined): Judgement {
  const error = first.error === undefined ? second?.error : first.error
  if (error !== undefined || first.answer === undefined) return failed(monitor, second ?? first)
  const expected = expectationOf(monitor, first.answer)
  if (expected === undefined) return judgement(monitor, first, 'waiting', {})
  if (!isDifference(monitor, first)) return confirmed(monitor, expected, first.answer)
  if (second?.answer === undefined)
    return judgement(monitor, first, 'unconfirmed', { after: { pending: monitor.pending } })
  return differing(monitor, expected, [first.answer, second.answer])
}

const JITTER = 0.05
/**
 * Longest delay before a difference is checked again, in seconds: with long intervals, confirmation would
 * take days.
 */
const RECHECK_SECONDS = 60

/**
 * Returns the seconds from this run to the next, so that missed intervals are skipped. `unit` (0 to 1) varies
 * the interval by up to 5 %, so that monitors added together spread out.
 */
export function nextRunSeconds(intervalSeconds: number, pending: Pending | undefined, unit: number): number {
  const seconds = pending === undefined ? intervalSeconds : Math.min(intervalSeconds, RECHECK_SECONDS)
  return seconds * (1 + JITTER * (2 * unit - 1))
}
