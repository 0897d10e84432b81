import { optional } from 'superstruct'
import { flag, listOf, namedShape, namedWords, oneOf, shape, text, whole } from '../../kernel/validation.ts'
import { MATCHES, RECORD_TYPES } from '../../platform/dns/dns-answer.ts'
import { MONITOR_ERRORS, MONITOR_MODES, MONITOR_STATES } from './monitor.ts'
import { RUN_OUTCOMES } from './monitor-run.ts'

const ANY = Number.POSITIVE_INFINITY
const count = whole(0, Number.MAX_SAFE_INTEGER)
const word = text(0, 4096)
namedWords('MonitorError', MONITOR_ERRORS)
namedWords('RecordType', RECORD_TYPES)

const answer = listOf(word, ANY)

/** A monitor in the answer to operators; instants in unix seconds. */
const monitor = namedShape('Monitor', {
  id: word,
  name: word,
  tenant_id: optional(word),
  license_id: optional(word),
  state: oneOf(MONITOR_STATES),
  host: word,
  type: oneOf(RECORD_TYPES),
  mode: oneOf(MONITOR_MODES),
  match: oneOf(MATCHES),
  expected: optional(answer),
  confirmed: optional(answer),
  pending: optional(answer),
  error: optional(oneOf(MONITOR_ERRORS)),
  error_streak: count,
  interval_seconds: count,
  confirmations: count,
  resolvers: listOf(word, ANY),
  drifted_at: optional(count),
  unreachable_at: optional(count),
  paused_at: optional(count),
  last_run_at: optional(count),
  last_answer_at: optional(count),
  next_run_at: count,
  created_at: count,
})
const observed = { answer: optional(answer), error: optional(oneOf(MONITOR_ERRORS)) }
const entry = shape({
  outcome: oneOf(RUN_OUTCOMES),
  ...observed,
  runs: count,
  first_at: count,
  last_at: count,
})

/** The answers of the operations on monitors. */
export const MONITOR_ANSWERS = {
  one: { monitor },
  list: { monitors: listOf(monitor, ANY) },
  check: { monitor, ...observed, as_expected: optional(flag()) },
  run: {
    ran: count,
    changed: count,
    outcome: optional(oneOf(RUN_OUTCOMES)),
    monitor: optional(monitor),
  },
  history: { monitor, history: listOf(entry, ANY) },
} as const
