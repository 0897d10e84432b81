import { isTerminal, type Job } from '@svc/core'
import { agentId, OFFLINE_SECONDS } from '@svc/core/ports'
import type { MemoryAgent, MemoryLicense, MemoryTables } from '../../memory-tables.ts'
import type { MemoryAlert } from '../../watch/alerts/memory-alert.ts'
import type { MemoryMonitor } from '../../watch/monitors/memory-monitor.ts'
import type { MemoryJob } from '../../work/jobs/memory-job.ts'
import { epoch, tell } from './memory-event.ts'
import { tellMoreEvents } from './memory-more-events.ts'

const seconds = (at: Date | undefined) => (at === undefined ? 0 : Math.floor(at.getTime() / 1000))

/** Makes the tables tell events, as the triggers of the database do. */
export function tellEvents(tables: MemoryTables, time: () => Date): void {
  if (tables.isTelling) return
  tables.isTelling = true
  tables.jobs.onPut((row, before) => jobEvent(tables, row.job, before))
  tables.agents.onPut((row, before) => before === undefined && hostEvent(tables, row))
  tables.alerting.alerts.onPut((row, before) => alertEvent(tables, row, before))
  tables.of<MemoryMonitor>('monitors').onPut((row, before) => monitorEvent(tables, row, before))
  tables.licenses.onPut((row, before) => licenseEvent(tables, row, before, time()))
  tellMoreEvents(tables)
}

function outcomeOf(job: Job, before: Job) {
  if (job.finishedAt === undefined) return job.lost > before.lost ? 'reclaimed' : 'claimed'
  return job.state === 'failed' && job.cancel !== undefined
    ? 'cancelled'
    : (job.state as 'succeeded' | 'failed')
}

function jobEvent(tables: MemoryTables, job: Job, former: MemoryJob | undefined): void {
  if (former === undefined) return
  const before = former.job
  const ends = isTerminal(job.state) && !isTerminal(before.state)
  if (!ends && job.attempt <= before.attempt) return
  const outcome = outcomeOf(job, before)
  const { id, licenseId, kind, state, deploymentId, attempt } = job
  const host = job.claimedBy ?? before.claimedBy
  const at = job.finishedAt ?? job.claimedAt
  if (at === undefined) return
  const { exitCode: exit_code, error } = job
  const data = {
    job_id: id,
    kind,
    state,
    server_id: host === undefined ? undefined : agentId(host),
    exit_code,
    error: error === undefined ? undefined : [...error].slice(0, 512).join(''),
    deployment_id: deploymentId,
  }
  const base = { licenseId, sequence: id, at }
  tell(tables, { ...base, type: `job.${outcome}`, fact: `job:${id}:${outcome}:${attempt}`, data })
  if (!ends || deploymentId === undefined) return
  const commit = tables.deployments.get(deploymentId)?.source.commit
  const outcomes = { deployment_id: deploymentId, state, commit }
  const type = `deployment.${state as 'succeeded' | 'failed'}` as const
  tell(tables, { ...base, type, fact: `deployment:${deploymentId}`, data: outcomes })
}

const hostData = ({ fingerprint, hostname, lastHeartbeat }: MemoryAgent) => ({
  server_id: agentId(fingerprint),
  hostname,
  last_heartbeat: seconds(lastHeartbeat),
})

function hostEvent(tables: MemoryTables, agent: MemoryAgent): void {
  const { licenseId, fingerprint, firstSeenAt: at } = agent
  const fact = `host.activated:${fingerprint}:${epoch(at)}`
  tell(tables, { licenseId, type: 'host.activated', fact, sequence: fingerprint, at, data: hostData(agent) })
}

function alertEvent(tables: MemoryTables, alert: MemoryAlert, before: MemoryAlert | undefined): void {
  const opens = before === undefined || (before.resolvedAt !== undefined && alert.resolvedAt === undefined)
  const resolves = !opens && alert.resolvedAt !== undefined && before?.resolvedAt === undefined
  const isNews = alert.acknowledgedAt?.getTime() !== before?.acknowledgedAt?.getTime()
  if (!opens && !resolves && !(isNews && alert.acknowledgedAt !== undefined)) return
  const what = opens ? 'opened' : resolves ? 'resolved' : 'acknowledged'
  const at = opens ? alert.lastSeenAt : resolves ? alert.resolvedAt : alert.acknowledgedAt
  if (at === undefined) return
  const { id, licenseId, tenantId, kind, severity, dedupKey: subject, host } = alert
  const fact = `${id}:${what}:${epoch(at)}`
  const data = { alert_id: id, kind, severity, subject, opened_at: seconds(alert.startsAt) }
  tell(tables, { licenseId, tenantId, type: `alert.${what}`, fact: `alert:${fact}`, sequence: id, at, data })
  if (what === 'acknowledged' || (kind !== 'host_offline' && kind !== 'host_stopped')) return
  const agent = tables.agents.all().find((each) => {
    return each.licenseId === licenseId && each.fingerprint === host?.fingerprint
  })
  const since = at.getTime() - OFFLINE_SECONDS * 1000
  const isBack = agent?.drainedAt === undefined && (agent?.lastHeartbeat?.getTime() ?? 0) > since
  if (agent === undefined || (what === 'resolved' && !isBack)) return
  const type = what === 'opened' ? 'host.offline' : 'host.online'
  const { fingerprint: sequence } = agent
  tell(tables, { licenseId, type, fact: `host:${fact}`, sequence, at, data: hostData(agent) })
}

function monitorEvent(
  tables: MemoryTables,
  { monitor }: MemoryMonitor,
  former: MemoryMonitor | undefined,
): void {
  const before = former?.monitor
  if (before === undefined || before.revision !== monitor.revision) return
  const { id, name, type, driftedAt, lastRunAt, expected, confirmed, tenantId } = monitor
  if ((driftedAt === undefined) === (before.driftedAt === undefined) || lastRunAt === undefined) return
  const since = driftedAt ?? before.driftedAt
  if (since === undefined) return
  const what = driftedAt === undefined ? 'recovered' : 'drift'
  tell(tables, {
    licenseId: monitor.licenseId ?? '',
    tenantId,
    type: `monitor.${what}`,
    fact: `monitor:${id}:${what}:${epoch(since)}`,
    sequence: id,
    at: driftedAt ?? lastRunAt,
    data: { monitor_id: id, name, type, expected: expected ?? [], observed: confirmed ?? [] },
    thin: { monitor_id: id, name, type, truncated: true },
  })
}

function licenseEvent(
  tables: MemoryTables,
  license: MemoryLicense,
  before: MemoryLicense | undefined,
  at: Date,
): void {
  const isSame =
    license.status === before?.status && license.expiresAt?.getTime() === before?.expiresAt?.getTime()
  if (before !== undefined && isSame) return
  const { id, tenantId, status, expiresAt, tier = 'business' } = license
  const what = before === undefined ? 'issued' : 'updated'
  tell(tables, {
    licenseId: tenantId === undefined ? id : '',
    tenantId,
    type: `license.${what}`,
    fact: `license:${id}:${what}:${status}:${epoch(at)}`,
    sequence: id,
    at,
    data: { license_id: id, tier, status, expires_at: seconds(expiresAt) },
  })
}
