import type { Scope } from '@svc/core'
import {
  alertStatus,
  FAILED_DAYS,
  type LateAfter,
  type ObservedApp,
  type Overview,
  type OverviewStore,
} from '@svc/core/ports'
import type { MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { isWithin } from '../../scoped-rows.ts'
import { shown } from '../alerts/alert-move-memory.ts'
import { inScope } from '../alerts/alerts-store-memory.ts'

const DAY_SECONDS = 86_400

/** The figures of the overview in memory. */
export const memoryOverviewStore = (tables: MemoryTables, run: Run, time: () => Date): OverviewStore => ({
  read: (scope, lateAfter, now = time()) => run(() => read(tables, scope, lateAfter, now)),
})

function read(tables: MemoryTables, scope: Scope, lateAfter: LateAfter, now: Date): Overview {
  const { silentSeconds, backupHours, drillDays } = lateAfter
  const agents = tables.agents.all().filter((row) => isWithin(tables, scope, row))
  const counted = <Row>(rows: readonly Row[], isMeant: (row: Row) => boolean) => rows.filter(isMeant).length
  const isLate = (heartbeat: Date | undefined) =>
    heartbeat !== undefined && now.getTime() - heartbeat.getTime() > silentSeconds * 1000
  const isOlder = (second = 0, age: number) => second > 0 && second < now.getTime() / 1000 - age
  const jobs = tables.jobs.all().filter(({ job }) => isWithin(tables, scope, job))
  const waiting = jobs.filter(({ job, place }) => job.state === 'pending' && place <= now.getTime())
  const ages = waiting.map(({ job, dueAt }) => now.getTime() - Math.max(+dueAt, +job.createdAt))
  const failedSince = now.getTime() - FAILED_DAYS * DAY_SECONDS * 1000
  const firing = tables.alerting.alerts
    .all()
    .flatMap((alert) => inScope(tables.alerting, scope, alert))
    .filter((alert) => alertStatus(shown(tables.alerting, alert), now) === 'firing')
  const troubled = tables
    .of<ObservedApp>('observedApps')
    .all()
    .filter((row) => isWithin(tables, scope, row) && (row.state === 'down' || row.state === 'degraded'))
  return {
    hosts: {
      up: counted(agents, ({ lastHeartbeat }) => lastHeartbeat !== undefined && !isLate(lastHeartbeat)),
      silent: counted(agents, ({ lastHeartbeat }) => isLate(lastHeartbeat)),
      draining: counted(agents, ({ drainedAt }) => drainedAt !== undefined),
    },
    jobs: {
      running: counted(jobs, ({ job: { state } }) => state === 'claimed' || state === 'running'),
      waiting: waiting.length,
      oldestSeconds: Math.floor(Math.max(0, ...ages) / 1000),
      failed: counted(jobs, ({ job }) => job.state === 'failed' && Number(job.finishedAt) >= failedSince),
    },
    alerts: {
      critical: counted(firing, ({ severity }) => severity === 'critical'),
      warning: counted(firing, ({ severity }) => severity !== 'critical'),
    },
    apps: { troubled: new Set(troubled.map(({ licenseId, app }) => JSON.stringify([licenseId, app]))).size },
    backups: {
      late: counted(
        agents,
        (row) => row.captureSuccess === false || isOlder(row.lastCaptureAt, backupHours * 3600),
      ),
      drills: counted(
        agents,
        (row) => row.drillPass === false || isOlder(row.lastDrillAt, drillDays * DAY_SECONDS),
      ),
    },
  }
}
