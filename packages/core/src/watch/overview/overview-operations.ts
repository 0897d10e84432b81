import { shape, whole } from '../../kernel/validation.ts'
import { operationOf } from '../../platform/operations/operation.ts'
import type { OverviewReads } from './overview.ts'

/** The services that operations on the overview use. */
export interface OverviewUses {
  readonly overview: OverviewReads
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
}

/** Operations on the overview. */
export const overviewOperations = [
  operationOf<OverviewUses>()({
    name: 'overview.show',
    summary: 'count hosts, jobs, alerts, apps and late backups',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    answer: ANSWER,
    input: {},
    run: async ({ overview }, _input, { scope }) => {
      const { hosts, jobs, alerts, apps, backups } = await overview.read(scope)
      const { oldestSeconds, ...counted } = jobs
      return {
        hosts,
        jobs: { ...counted, oldest_seconds: oldestSeconds },
        alerts,
        apps,
        backups: { late: backups.late, late_drills: backups.drills },
      }
    },
  }),
]
