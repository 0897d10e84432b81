import { agentState } from '../agents/agent.ts'
import { registerAlertGauge } from '../alerts/alert-metrics.ts'
import type { AlertCounts } from '../alerts/alerts-store.ts'
import type { Clock } from '../clock.ts'
import { JOB_STATES } from '../jobs/job.ts'
import type { JobCounts } from '../jobs/jobs-store.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { registerMonitorGauge } from '../monitors/monitor-metrics.ts'
import type { MonitorState } from '../monitors/monitor.ts'
import type { Storage } from '../storage/storage.ts'

/** How old a sample of the database may be before a scrape asks for a new one. */
const SAMPLE_MS = 15_000
const FIRST_SAMPLE_MS = 1000
// Hosts report free words; the label keeps to this set so that the number of series is bounded.
const AGENT_STATES = ['online', 'offline', 'unknown', 'other'] as const

interface Sample {
  readonly jobs: JobCounts
  readonly agents: ReadonlyMap<string, number>
  readonly alerts: AlertCounts
  readonly monitors: Readonly<Record<MonitorState, number>>
}

/**
 * Gauges over the database: sampled in the background at most every 15 s, so that a scrape does not wait for it. Only
 * the first one does, for a second at most.
 */
export function registerGauges(parts: { metrics: Metrics; storage: Storage; clock: Clock }): void {
  const { metrics, storage } = parts
  const sampler = new Sampler(parts)
  metrics.gauge('svc_db_up', 'Whether the latest sample of the database succeeded.', {}, async (gauge) => {
    await sampler.refresh()
    gauge.set(sampler.up ? 1 : 0)
  })
  metrics.gauge('svc_jobs', 'Jobs by state.', { state: JOB_STATES }, async (gauge) => {
    await sampler.refresh()
    for (const state of JOB_STATES) gauge.set({ state }, sampler.sample?.jobs.byState[state] ?? 0)
  })
  const oldest = 'How long the oldest due job has waited.'
  metrics.gauge('svc_jobs_oldest_claimable_seconds', oldest, {}, async (gauge) => {
    await sampler.refresh()
    gauge.set(sampler.sample?.jobs.oldestClaimableSeconds ?? 0)
  })
  metrics.gauge('svc_agents', 'Hosts by state.', { state: AGENT_STATES }, async (gauge) => {
    await sampler.refresh()
    for (const state of AGENT_STATES) gauge.set({ state }, sampler.sample?.agents.get(state) ?? 0)
  })
  registerMonitorGauge(metrics, async () => {
    await sampler.refresh()
    return sampler.sample?.monitors
  })
  registerAlertGauge(metrics, async () => {
    await sampler.refresh()
    return sampler.sample?.alerts
  })
  const pool = { state: ['used', 'idle', 'waiting'] as const }
  metrics.gauge('svc_db_pool_connections', 'Connections of the database pool.', pool, (gauge) => {
    const connections = storage.connections()
    for (const state of pool.state) gauge.set({ state }, connections?.[state] ?? 0)
  })
}

class Sampler {
  readonly #parts: { readonly storage: Storage; readonly clock: Clock }
  #takenAt = Number.NEGATIVE_INFINITY
  #taking: Promise<void> = Promise.resolve()
  sample: Sample | undefined
  up = true

  constructor(parts: { readonly storage: Storage; readonly clock: Clock }) {
    this.#parts = parts
  }

  async refresh(): Promise<void> {
    if (performance.now() - this.#takenAt > SAMPLE_MS) {
      this.#takenAt = performance.now()
      this.#taking = this.#take()
    }
    if (this.sample === undefined) await Promise.race([this.#taking, later(FIRST_SAMPLE_MS)])
  }

  async #take(): Promise<void> {
    try {
      this.sample = await takeSample(this.#parts.storage, this.#parts.clock)
      this.up = true
    } catch {
      this.up = false
    }
  }
}

const later = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms).unref()
  })

async function takeSample(storage: Storage, clock: Clock): Promise<Sample> {
  const [jobs, agents, monitors, alerts] = await Promise.all([
    storage.jobs.counts(clock.forStores()),
    storage.agents.list(),
    storage.monitors.counts(),
    storage.alerts.counts(clock.forStores()),
  ])
  const counts = new Map<string, number>()
  for (const agent of agents) {
    const state = agentState(agent, clock.now())
    const label = (AGENT_STATES as readonly string[]).includes(state) ? state : 'other'
    counts.set(label, (counts.get(label) ?? 0) + 1)
  }
  return { jobs, agents: counts, monitors, alerts }
}
