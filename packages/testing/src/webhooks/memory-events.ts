import { createHash } from 'node:crypto'
import { isTerminal, type Job } from '@svc/core'
import { agentId, type EventType, OFFLINE_SECONDS, patternsOf } from '@svc/core/ports'
import { keyOf, type MemoryAlert } from '../alerts/memory-alert.ts'
import type { MemoryJob } from '../jobs/memory-job.ts'
import type { MemoryAgent, MemoryLicense, MemoryTables } from '../memory-tables.ts'
import type { MemoryMonitor } from '../monitors/memory-monitor.ts'
import { tellMoreEvents } from './memory-more-events.ts'
import type { MemoryEndpoint, MemoryMessage } from './memory-webhook.ts'

/** An event as the triggers of the database tell it. */
export interface MemoryEvent {
  readonly licenseId: string
  readonly tenantId?: string | undefined
  readonly type: EventType
  readonly fact: string
  readonly sequence?: string | undefined
  readonly at: Date
  readonly data: object
  readonly thin?: object
  /** An endpoint that is not told. */
  readonly beside?: string | undefined
}

const MAX_BODY_BYTES = 32_768

/** The end of an id that follows from a text. */
export const idOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 26)

/** Seconds as PostgreSQL spells the epoch of an instant. */
export const epoch = (at: Date) => (at.getTime() / 1000).toFixed(6)
const seconds = (at: Date | undefined) => (at === undefined ? 0 : Math.floor(at.getTime() / 1000))

/** Writes an event and its deliveries. */
export function tell(tables: MemoryTables, event: MemoryEvent): void {
  const { licenseId, tenantId, type, fact, sequence, at, data, thin, beside } = event
  const isMeant = (each: MemoryEndpoint) =>
    each.licenseId === licenseId || (licenseId === '' && tenantId !== undefined && each.tenantId === tenantId)
  const wants = (each: MemoryEndpoint) => patternsOf(type).some((pattern) => each.events.includes(pattern))
  const hit = tables.of<MemoryEndpoint>('webhookEndpoints').all()
  const spelled = (content: object) => JSON.stringify({ type, timestamp: at.toISOString(), data: content })
  const whole = spelled(data)
  const body = Buffer.byteLength(whole) > MAX_BODY_BYTES ? spelled(thin ?? {}) : whole
  const messages = tables.of<MemoryMessage>('webhookMessages')
  const told = new Set<string>()
  for (const endpoint of hit.filter((each) => isMeant(each) && wants(each) && each.id !== beside)) {
    const message = `msg_${idOf(`${endpoint.licenseId} ${fact}`)}`
    if (!told.has(message) && messages.get(message) !== undefined) continue
    told.add(message)
    messages.put(message, { id: message, licenseId: endpoint.licenseId, type, body, occurredAt: at })
    const id = `dlv_${idOf(`${message} ${endpoint.id}`)}`
    const isPaused = tables.recipients.get(keyOf('endpoint', endpoint.id))?.paused !== undefined
    tables.deliveries.put(id, {
      id,
      kind: 'endpoint',
      recipient: endpoint.id,
      payload: message,
      maxAttempts: undefined,
      sequence,
      isForced: false,
      createdAt: at,
      dueAt: at,
      expiresAt: new Date(at.getTime() + endpoint.maxAgeSeconds * 1000),
      state: isPaused ? 'skipped' : 'due',
      attempts: 0,
      settledAt: isPaused ? at : undefined,
      status: undefined,
      error: undefined,
      leaseToken: undefined,
      leaseUntil: undefined,
      spentAt: undefined,
    })
  }
}

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
  const { id, tenantId, status, expiresAt } = license
  const what = before === undefined ? 'issued' : 'updated'
  tell(tables, {
    licenseId: tenantId === undefined ? id : '',
    tenantId,
    type: `license.${what}`,
    fact: `license:${id}:${what}:${status}:${epoch(at)}`,
    sequence: id,
    at,
    data: { license_id: id, tier: 'business', status, expires_at: seconds(expiresAt) },
  })
}
