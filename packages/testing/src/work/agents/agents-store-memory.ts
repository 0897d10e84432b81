import type {
  Agent,
  AgentChange,
  AgentsStore,
  HeartbeatOutcome,
  HeartbeatWrite,
  HostWork,
} from '@svc/core/ports'
import type { MemoryAgent, MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { requireLicensed } from '../../people/licenses/licenses-store-memory.ts'
import { isWithin } from '../../scoped-rows.ts'
import { byBytes } from '../../text-order.ts'
import { forgetIdentities, noteIdentity } from '../../watch/alerts/alert-facts-store-memory.ts'
import { forgetApps } from '../apps/observed-apps-store-memory.ts'
import { forgetUsage } from '../host-usage/host-usage-store-memory.ts'
import { cancelling } from '../jobs/job-lease-memory.ts'

/** The key of a host: (license, fingerprint). */
export const agentKey = (licenseId: string, fingerprint: string): string =>
  JSON.stringify([licenseId, fingerprint])

/** The registry of hosts in memory. */
export function memoryAgentsStore(tables: MemoryTables, run: Run, time: () => Date): AgentsStore {
  const { agents } = tables
  return {
    heartbeat: (write: HeartbeatWrite, now = time()) => run(() => heartbeat(tables, write, now)),
    list: (scope) =>
      run(() =>
        agents
          .all()
          .filter((row) => isWithin(tables, scope, row))
          .sort(byName)
          .map(toAgent),
      ),
    change: (licenseId: string, fingerprint: string, change: AgentChange, now = time()) =>
      run(() => {
        const row = agents.get(agentKey(licenseId, fingerprint))
        if (row === undefined) return undefined
        const next = { ...row, label: change.label ?? row.label, drainedAt: drainedAt(row, change, now) }
        agents.put(agentKey(licenseId, fingerprint), next)
        return toAgent(next)
      }),
    noteWork: (licenseId: string, fingerprint: string, { kinds, concurrency }: HostWork) =>
      run(() => {
        const row = agents.get(agentKey(licenseId, fingerprint))
        if (row !== undefined) agents.put(agentKey(licenseId, fingerprint), { ...row, kinds, concurrency })
        return row !== undefined
      }),
    accessKey: (licenseId: string, fingerprint: string) =>
      run(() => agents.get(agentKey(licenseId, fingerprint))?.accessKey),
    isKnown: (licenseId: string, fingerprint: string) =>
      run(() => agents.get(agentKey(licenseId, fingerprint)) !== undefined),
    turnAway: (licenseId: string, fingerprint: string, most: number) =>
      run(() => {
        const hosts = agents.all().filter((row) => row.licenseId === licenseId)
        return hosts.length > most && forget(tables, licenseId, fingerprint)
      }),
    forget: (licenseId: string, fingerprint: string, silentSeconds?: number, now = time()) =>
      run(() => {
        const { lastHeartbeat } = agents.get(agentKey(licenseId, fingerprint)) ?? {}
        const isHeard =
          silentSeconds !== undefined &&
          lastHeartbeat !== undefined &&
          now.getTime() - lastHeartbeat.getTime() <= 1000 * silentSeconds
        return !isHeard && forget(tables, licenseId, fingerprint)
      }),
  }
}

function forget(tables: MemoryTables, licenseId: string, fingerprint: string): boolean {
  const key = agentKey(licenseId, fingerprint)
  const known = tables.agents.get(key) !== undefined
  tables.agents.put(key, undefined)
  forgetIdentities(tables, licenseId, fingerprint)
  forgetUsage(tables, { licenseId, fingerprint })
  forgetApps(tables, licenseId, fingerprint)
  return known
}

const toAgent = ({ seq: _, accessProofMs: __, ...agent }: MemoryAgent): Agent => agent

const byName = (one: Agent, other: Agent): number =>
  byBytes(one.hostname, other.hostname) ||
  byBytes(one.fingerprint, other.fingerprint) ||
  byBytes(one.licenseId, other.licenseId)

function drainedAt(row: Agent, { drained }: AgentChange, now: Date): Date | undefined {
  if (drained === undefined) return row.drainedAt
  return drained ? (row.drainedAt ?? now) : undefined
}

function heartbeat(tables: MemoryTables, write: HeartbeatWrite, now: Date): HeartbeatOutcome {
  requireLicensed(tables, write, now)
  const key = agentKey(write.licenseId, write.fingerprint)
  const old = tables.agents.get(key) ?? unseen(write, now)
  const row = reported(old, write, now)
  tables.agents.put(key, row)
  noteIdentity(tables, old, row)
  return {
    seq: row.seq,
    cancel: cancelling(tables.jobs, write),
    drained: row.drainedAt !== undefined,
  }
}

/**
 * The heartbeat's fields over the host's: an absent field keeps its last value, and an empty text counts as
 * absent.
 */
function reported(row: MemoryAgent, write: HeartbeatWrite, now: Date): MemoryAgent {
  const last = row.lastHeartbeat
  return {
    ...row,
    seq: row.seq + 1,
    lastHeartbeat: last !== undefined && last > now ? last : now,
    hostname: write.hostname || row.hostname,
    version: write.version || row.version,
    reportedState: write.state || row.reportedState,
    bootId: write.bootId || row.bootId,
    cpuPct: write.cpuPct ?? row.cpuPct,
    memPct: write.memPct ?? row.memPct,
    diskPct: write.diskPct ?? row.diskPct,
    diskTotalGb: write.diskTotalGb ?? row.diskTotalGb,
    lastCaptureAt: write.lastCaptureAt ?? row.lastCaptureAt,
    captureSuccess: write.captureSuccess ?? row.captureSuccess,
    lastDrillAt: write.lastDrillAt ?? row.lastDrillAt,
    drillPass: write.drillPass ?? row.drillPass,
  }
}

const unseen = ({ licenseId, fingerprint }: HeartbeatWrite, now: Date): MemoryAgent => ({
  licenseId,
  fingerprint,
  seq: 0,
  hostname: '',
  label: '',
  reportedState: '',
  version: '',
  bootId: '',
  cpuPct: undefined,
  memPct: undefined,
  diskPct: undefined,
  diskTotalGb: undefined,
  lastCaptureAt: undefined,
  captureSuccess: undefined,
  lastDrillAt: undefined,
  drillPass: undefined,
  lastHeartbeat: undefined,
  drainedAt: undefined,
  firstSeenAt: now,
  kinds: undefined,
  concurrency: undefined,
  accessKey: undefined,
  accessKeyAt: undefined,
  accessRefusedAt: undefined,
  accessModes: undefined,
  accessProofMs: undefined,
})
