import { type AnswerSet, canonicalSet, fits, type RecordType, sameSet } from './dns-answer.ts'
import type { DnsReply } from './dns-client.ts'
import { ERRORS_IN_A_ROW, type Findings, type Monitor, type MonitorError, type Pending } from './monitor.ts'

/** What one asking of all resolvers found; an empty answer is NXDOMAIN or NODATA. */
export type Observation =
  | { readonly answer: AnswerSet; readonly error?: undefined }
  | { readonly error: MonitorError; readonly answer?: undefined }

/**
 * How a run ended. `ok` and `drift`: the answer counts · `unconfirmed`: a difference that has yet to be seen
 * again · `waiting`: a baseline whose name has no records yet · `error`: no answer.
 */
export const RUN_OUTCOMES = ['ok', 'drift', 'unconfirmed', 'waiting', 'error'] as const
export type RunOutcome = (typeof RUN_OUTCOMES)[number]

/** What became of a monitor by a run; each is said once. */
export const TRANSITIONS = ['drifted', 'recovered', 'unreachable', 'reachable'] as const
export type TransitionKind = (typeof TRANSITIONS)[number]

/** What a run found out: the findings after it, without their instants. */
export interface Judgement {
  readonly outcome: RunOutcome
  readonly observation: Observation
  /** Whether the confirmed answer is another than before; the first one is not. */
  readonly changed: boolean
  readonly transitions: readonly TransitionKind[]
  readonly after: Omit<Findings, 'driftedAt' | 'unreachableAt'> & {
    readonly drifted: boolean
    readonly unreachable: boolean
  }
}

/**
 * What the replies of all resolvers say together. Those that give no answer don't count beside one that does;
 * answers that differ are an error, never drift.
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

/**
 * The expectation that an answer is held to: a baseline takes it from its first good answer, one with
 * records.
 */
const expectationOf = ({ mode, expected }: Monitor, answer: AnswerSet): AnswerSet | undefined =>
  expected ?? (mode === 'baseline' && answer.length > 0 ? answer : undefined)

/** Whether the answer differs from what counts so far, so that it has to be asked for again at once. */
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

/** A judgement on top of what stays as it is; whatever was answered ends a row of errors. */
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

/** An error says nothing about the zone: drift stays, or stays away, and a difference keeps waiting. */
function failed(monitor: Monitor, observation: Observation): Judgement {
  const wasUnreachable = monitor.unreachableAt !== undefined
  const errorStreak = monitor.errorStreak + 1
  const unreachable = wasUnreachable || errorStreak >= ERRORS_IN_A_ROW
  return judgement(monitor, observation, 'error', {
    transitions: unreachable && !wasUnreachable ? ['unreachable'] : [],
    after: { pending: monitor.pending, errorStreak, error: observation.error, unreachable },
  })
}

/** An answer that counts. */
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
  // What does not fit may well move: that it does not fit is what is confirmed.
  return !fitting || sameSet(pending.answer, answer) ? pending.seen : 0
}

/** A difference that was asked for again. */
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
  // Answers that move within what is expected are nobody's concern, and none of them is the one that counts.
  if (fitting && !wasDrifted && !sameSet(first, second)) return judgement(monitor, observation, 'ok', {})
  const seen = seenBefore(monitor.pending, second, fitting) + 1
  if (seen >= monitor.confirmations) return confirmed(monitor, expected, second)
  return judgement(monitor, observation, 'unconfirmed', {
    after: { pending: { answer: second, fits: fitting, seen } },
  })
}

/**
 * Judges one run (wire-app §2). `second` is the repeated question that `isDifference` asks for: a difference
 * counts when both agree on it in as many runs in a row as the monitor wants confirmations. Recovery is such
 * a difference too.
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
/** A difference is looked at again this soon, in seconds: with long intervals confirming would take days. */
const RECHECK_SECONDS = 60

/**
 * Seconds until the next run, counted from this one: missed intervals collapse. `unit` from 0 to 1 spreads
 * runs by 5 % around the interval, so that monitors added together do not stay together.
 */
export function nextRunSeconds(intervalSeconds: number, pending: Pending | undefined, unit: number): number {
  const seconds = pending === undefined ? intervalSeconds : Math.min(intervalSeconds, RECHECK_SECONDS)
  return seconds * (1 + JITTER * (2 * unit - 1))
}
