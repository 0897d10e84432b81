import { optional } from 'superstruct'
import { flag, listOf, shape, whole } from '../../kernel/validation.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import { mayRun } from '../../platform/operations/operator.ts'
import { CHECK_LINE, CHECKING } from '../health/health-operations.ts'
import type { SystemCheck, SystemReport } from '../health/system-check.ts'
import type { OverviewReads } from './overview.ts'

/** The services that operations on the overview use. */
export interface OverviewUses {
  readonly overview: OverviewReads
  readonly systemCheck: SystemCheck
}

const count = whole(0, Number.MAX_SAFE_INTEGER)

/** Figures of the overview in an answer. */
const ANSWER = {
  /** `silent`: hosts that have reported once and are late now. */
  hosts: shape({ up: count, silent: count, draining: count }),
  /** `waiting`: due, without a host. `failed`: in the last day. */
  jobs: shape({ running: count, waiting: count, oldest_seconds: count, failed: count }),
  /** Alerts that fire: neither acknowledged nor snoozed. */
  alerts: shape({ critical: count, warning: count }),
  /** Apps of which an instance is missing. */
  apps: shape({ troubled: count }),
  /** Hosts whose last backup, or whose last drill, failed or is too old. */
  backups: shape({ late: count, late_drills: count }),
  /**
   * The last system check of the process that answers, and those of its lines that ask for attention. Absent
   * until the first tick, and for those who may not run the check.
   */
  system: optional(
    shape({ ok: flag(), checked_at: count, findings: listOf(CHECK_LINE, Number.POSITIVE_INFINITY) }),
  ),
}

const FINDINGS: ReadonlySet<string> = new Set(['warn', 'fail'])
const systemOf = ({ ok, checked_at, checks }: SystemReport) => ({
  ok,
  checked_at,
  findings: checks.filter(({ status }) => FINDINGS.has(status)),
})

/** Operations on the overview. */
export const overviewOperations = [
  operationOf<OverviewUses>()({
    name: 'overview.show',
    summary: 'count hosts, jobs, alerts, apps and late backups, and show what the last system check found',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    answer: ANSWER,
    input: {},
    run: async ({ overview, systemCheck }, _input, operator) => {
      const { hosts, jobs, alerts, apps, backups } = await overview.read(operator.scope)
      const report = mayRun(operator, CHECKING) ? systemCheck.last : undefined
      const { oldestSeconds, ...counted } = jobs
      return {
        hosts,
        jobs: { ...counted, oldest_seconds: oldestSeconds },
        alerts,
        apps,
        backups: { late: backups.late, late_drills: backups.drills },
        ...(report && { system: systemOf(report) }),
      }
    },
  }),
]
