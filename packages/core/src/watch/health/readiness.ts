import { optional } from 'superstruct'
import {
  type Fields,
  finite,
  flag,
  listOf,
  namedShape,
  namedWords,
  oneOf,
  shape,
  text,
  type ViewOf,
} from '../../kernel/validation.ts'

const word = optional(text(0, 4096))
const words = listOf(text(0, 4096), Number.POSITIVE_INFINITY)

const CHECK_STATES = ['pass', 'warn', 'fail', 'not-configured'] as const
namedWords('CheckState', CHECK_STATES)

/** A check, with facts about it. Only `fail` makes the service unready. */
const check = <S extends Fields>(facts: S) => shape({ status: oneOf(CHECK_STATES), ...facts })

const CHECKS = {
  disk: optional(check({ reason: word })),
  database: check({ embedded: word, latency_ms: optional(finite()), reason: word }),
  tables: optional(check({ missing: words })),
  migrations: optional(check({ pending: words, drifted: words, ahead: optional(words) })),
  signing: check({ reason: word }),
  licensing: check({ mode: oneOf(['allow-list', 'issued', 'development']), reason: word }),
  settings: optional(check({ closed: words })),
  starting: optional(check({})),
  draining: optional(check({})),
}
/** The checks of the readiness by name. */
export type ReadinessChecks = ViewOf<typeof CHECKS>

const READINESS = { ok: flag(), checks: shape(CHECKS) }
/** The readiness of the service (spec, GET /healthz). */
export const readiness = namedShape('Readiness', READINESS)
export type Readiness = ViewOf<typeof READINESS>
