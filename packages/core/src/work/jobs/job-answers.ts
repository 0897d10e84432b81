import { optional } from 'superstruct'
import {
  alsoOf,
  finite,
  flag,
  freeObject,
  listOf,
  namedShape,
  namedWords,
  oneOf,
  shape,
  text,
  type ViewOf,
  whole,
} from '../../kernel/validation.ts'
import { JOB_KINDS, JOB_STATES } from './job.ts'
import { MAX_LINE_CHARS } from './job-log.ts'
import { JOB_WORK } from './job-payload.ts'

const ANY = Number.POSITIVE_INFINITY
const count = whole(0, Number.MAX_SAFE_INTEGER)
const word = text(0, 4096)
namedWords('JobKind', JOB_KINDS)
namedWords('JobState', JOB_STATES)

/** A job in the answer to operators; instants in unix seconds. */
const listed = {
  id: word,
  kind: oneOf(JOB_KINDS),
  state: oneOf(JOB_STATES),
  license_id: word,
  app: optional(word),
  target: optional(word),
  urgent: optional(flag()),
  deployment_id: optional(word),
  retry_of: optional(word),
  serial_key: optional(word),
  dedupe_key: optional(word),
  attempt: count,
  max_attempts: count,
  lost_leases: count,
  timeout_seconds: count,
  created_at: count,
  claimed_by: optional(word),
  claimed_at: optional(count),
  started_at: optional(count),
  finished_at: optional(count),
  lease_expires_at: optional(count),
  cancel_requested_at: optional(count),
  cancel_reason: optional(word),
  exit_code: optional(finite()),
  error: optional(word),
}
const job = alsoOf(namedShape('Job', { ...listed, payload: freeObject() }), JOB_WORK)
const deployment = optional(
  namedShape('JobDeployment', { id: word, state: oneOf(JOB_STATES), app: optional(word) }),
)
const line = namedShape('LogLine', {
  ts: finite(),
  line: text(0, MAX_LINE_CHARS),
  attempt: count,
  offset: count,
})

const CLAIMED = {
  id: word,
  kind: oneOf(JOB_KINDS),
  state: oneOf(JOB_STATES),
  payload: freeObject(),
  deployment_id: optional(word),
  /** Names of variables in `env` of the payload whose values the host masks. */
  env_secrets: optional(listOf(word, ANY)),
  /** Why the host does not get the variables of the app. */
  env_withheld: optional(word),
  attempt: count,
  max_attempts: count,
  created_at: count,
  claimed_at: count,
  lease_seconds: count,
  lease_expires_at: count,
  timeout_seconds: count,
  log: shape({ next_offset: count, max_lines: count, max_line_chars: count, interval_seconds: count }),
}
/** A job in the answer to the host that claimed it. */
export const claimedJob = alsoOf(namedShape('ClaimedJob', CLAIMED), JOB_WORK)
export type ClaimedJob = ViewOf<typeof CLAIMED>

/** The answers of the operations on jobs, by verb. */
export const JOB_ANSWERS = {
  /** `warning`: no host takes the job for now, and why. */
  made: { job, deployment, created: flag(), warning: optional(word) },
  list: { jobs: listOf(namedShape('ListedJob', listed), ANY), next_cursor: optional(word) },
  /** `log_gone`: it went because of its age, if it had any line. */
  show: { job, deployment, log_lines: count, log_gone: optional(flag()) },
  logs: {
    logs: listOf(line, ANY),
    next: count,
    more: flag(),
    state: oneOf(JOB_STATES),
    done: flag(),
    log_gone: optional(flag()),
    error: optional(word),
  },
  why: { job, reasons: listOf(shape({ code: word, text: word }), ANY) },
  cancel: { job, effect: oneOf(['ended', 'requested', 'none']) },
} as const
