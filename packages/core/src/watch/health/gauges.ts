import {
  type DriftCounts,
  driftCounts,
  registerDriftGauge,
} from '../../hosts/node-security/node-security-metrics.ts'
import type { HostKey } from '../../hosts/node-security/node-security-store.ts'
import type { Clock } from '../../kernel/clock.ts'
import { PLATFORM } from '../../kernel/scope.ts'
import type { Base } from '../../platform/base.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { agentState } from '../../work/agents/agent.ts'
import { UNFINISHED_STATES } from '../../work/jobs/job.ts'
import type { JobCounts } from '../../work/jobs/jobs-store.ts'
import { registerAlertGauge } from '../alerts/alert-metrics.ts'
import type { AlertCounts } from '../alerts/alerts-store.ts'
import type { MonitorState } from '../monitors/monitor.ts'
import { registerMonitorGauge } from '../monitors/monitor-metrics.ts'
import { Sampler } from './sampler.ts'

// Hosts report free text. The label is limited to these values so that the number of series is bounded.
const AGENT_STATES = ['online', 'offline', 'unknown', 'other'] as const

interface Sample {
  readonly jobs: JobCounts
  readonly agents: ReadonlyMap<string, number>
  readonly alerts: AlertCounts
  readonly monitors: Readonly<Record<MonitorState, number>>
  readonly drift: DriftCounts
  readonly oldestTransactionSeconds: number
}

/** Dependencies of the gauges. */
export type GaugeParts = Pick<Base, 'metrics' | 'storage' | 'clock' | 'timers'>

/**
 * Registers gauges about the database. They read a sampler, so that a scrape never waits for the database.
 */
export function registerGauges({ metrics, storage, clock, timers }: GaugeParts): void {
  const sampler = new Sampler(() => takeSample(storage, clock), timers)
  metrics.gauge('svc_db_up', 'Whether the latest sample of the database succeeded.', {}, async (gauge) => {
    await sampler.latest()
    gauge.set(sampler.isUp ? 1 : 0)
  })
  metrics.gauge('svc_jobs', 'Unfinished jobs by state.', { state: UNFINISHED_STATES }, async (gauge) => {
    const sample = await sampler.latest()
    for (const state of UNFINISHED_STATES) gauge.set({ state }, sample?.jobs.byState[state] ?? 0)
  })
  const oldest = 'How long the oldest due job has waited.'
  metrics.gauge('svc_jobs_oldest_claimable_seconds', oldest, {}, async (gauge) => {
    const sample = await sampler.latest()
    gauge.set(sample?.jobs.oldestClaimableSeconds ?? 0)
  })
  metrics.gauge('svc_agents', 'Hosts by state.', { state: AGENT_STATES }, async (gauge) => {
    const sample = await sampler.latest()
    for (const state of AGENT_STATES) gauge.set({ state }, sample?.agents.get(state) ?? 0)
  })
  registerMonitorGauge(metrics, async () => (await sampler.latest())?.monitors)
  registerAlertGauge(metrics, async () => (await sampler.latest())?.alerts)
  registerDriftGauge(metrics, async () => (await sampler.latest())?.drift)
  const transaction = 'How long the oldest transaction of the database has been open.'
  metrics.gauge('svc_db_oldest_transaction_seconds', transaction, {}, async (gauge) => {
    const sample = await sampler.latest()
    gauge.set(sample?.oldestTransactionSeconds ?? 0)
  })
  const pool = { state: ['used', 'idle', 'waiting'] as const }
  metrics.gauge('svc_db_pool_connections', 'Connections of the database pool.', pool, (gauge) => {
    const connections = storage.connections()
    for (const state of pool.state) gauge.set({ state }, connections?.[state] ?? 0)
  })
}

async function takeSample(storage: Storage, clock: Clock): Promise<Sample> {
  const [jobs, agents, monitors, alerts, standings, oldestTransactionSeconds = 0] = await Promise.all([
    storage.jobs.counts(clock.statementTime()),
    storage.agents.list(PLATFORM),
    storage.monitors.counts(),
    storage.alerts.counts(clock.statementTime()),
    storage.nodeSecurity.standings(),
    storage.oldestTransactionSeconds?.(),
  ])
  const counts = new Map<string, number>()
  for (const agent of agents) {
    const state = agentState(agent, clock.now())
    const label = (AGENT_STATES as readonly string[]).includes(state) ? state : 'other'
    counts.set(label, (counts.get(label) ?? 0) + 1)
  }
  // A host that was forgotten leaves its documents behind.
  const known = new Set(agents.map(keyOf))
  const drift = driftCounts(standings.filter((each) => known.has(keyOf(each))))
  return { jobs, agents: counts, monitors, alerts, drift, oldestTransactionSeconds }
}

const keyOf = ({ licenseId, fingerprint }: HostKey): string => `${licenseId} ${fingerprint}`
