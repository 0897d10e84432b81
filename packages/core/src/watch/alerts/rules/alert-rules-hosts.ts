import { unixSeconds } from '../../../kernel/clock.ts'
import { duration } from '../../../kernel/duration.ts'
import { type Agent, agentState } from '../../../work/agents/agent.ts'
import type { AlertKind, AlertSeverity } from '../alert.ts'
import type { AlertCondition } from './alert-condition.ts'
import type { Clone } from './alert-facts.ts'
import { type AlertThresholds, CRITICAL_DISK_PERCENT } from './alert-thresholds.ts'
import { hostOf, nameOf } from './alert-words.ts'

/** The last state that a host reports when it is stopped on purpose. */
const STOPPED = 'stopped'

/** Returns a condition of one host; its fingerprint is part of the dedup key. */
export const hostCondition = (
  agent: Agent,
  kind: AlertKind,
  severity: AlertSeverity,
  rest: Pick<AlertCondition, 'summary' | 'details' | 'holdSeconds' | 'isStale'>,
): AlertCondition => ({
  licenseId: agent.licenseId,
  tenantId: undefined,
  dedupKey: `${kind}:${agent.fingerprint}`,
  kind,
  severity,
  host: hostOf(agent),
  ...rest,
})

/**
 * Conditions of a host that does not report. A drained host is expected to disappear. A host that reported
 * its stop is stopped, not offline.
 */
function silence(agent: Agent, at: Date): AlertCondition[] {
  if (agent.drainedAt !== undefined || agent.lastHeartbeat === undefined) return []
  const seconds = (at.getTime() - agent.lastHeartbeat.getTime()) / 1000
  const details = { last_heartbeat: unixSeconds(agent.lastHeartbeat) }
  if (agent.reportedState === STOPPED) {
    const summary = `the agent of ${nameOf(agent)} was stopped ${duration(seconds)} ago`
    return [hostCondition(agent, 'host_stopped', 'warning', { summary, details })]
  }
  if (agentState(agent, at) !== 'offline') return []
  const summary = `${nameOf(agent)} has not reported for ${duration(seconds)}`
  return [hostCondition(agent, 'host_offline', 'critical', { summary, details })]
}

/** Conditions for figures at or over their threshold. Figures of an offline host are stale. */
function figures(agent: Agent, bounds: AlertThresholds, at: Date): AlertCondition[] {
  const isStale = agentState(agent, at) === 'offline'
  const high = (kind: AlertKind, what: string, figure: number | undefined, bound: number, hold = 0) => {
    if (figure === undefined || figure < bound) return []
    const percent = Math.round(figure * 10) / 10
    const severity = kind === 'disk_high' && figure >= CRITICAL_DISK_PERCENT ? 'critical' : 'warning'
    const summary = `${what} of ${nameOf(agent)} is at ${percent} %`
    const details = { percent, threshold: bound }
    return [hostCondition(agent, kind, severity, { summary, details, isStale, holdSeconds: hold })]
  }
  return [
    ...high('disk_high', 'the disk', agent.diskPct, bounds.diskPercent),
    ...high('mem_high', 'the memory', agent.memPct, bounds.memoryPercent),
    ...high('cpu_high', 'the processor', agent.cpuPct, bounds.cpuPercent, bounds.cpuMinutes * 60),
  ]
}

function clone(found: Clone, agent: Agent): AlertCondition {
  const summary = `two machines report as ${nameOf(agent)}: one is a clone of the other`
  const details = { hostnames: found.hostnames, boot_ids: found.bootIds }
  return hostCondition(agent, 'fingerprint_collision', 'critical', { summary, details })
}

/** A refused key is news for this long, in seconds. */
const KEY_NEWS_SECONDS = 600

/**
 * Somebody asked for the sessions of a host without its key: a copy, or the host itself after it was set up
 * anew.
 */
function strangeKey(agent: Agent, at: Date): AlertCondition[] {
  const { accessRefusedAt: refusedAt } = agent
  if (refusedAt === undefined || at.getTime() - refusedAt.getTime() > 1000 * KEY_NEWS_SECONDS) return []
  const summary = `sessions of ${nameOf(agent)} were asked for without its key`
  const details = { refused_at: unixSeconds(refusedAt) }
  return [hostCondition(agent, 'agent_key_mismatch', 'critical', { summary, details })]
}

/** Returns the conditions about hosts themselves. */
export function hostConditions(
  facts: { readonly hosts: readonly Agent[]; readonly clones: readonly Clone[] },
  bounds: AlertThresholds,
  at: Date,
): AlertCondition[] {
  const byKey = new Map(facts.clones.map((each) => [`${each.licenseId} ${each.fingerprint}`, each]))
  return facts.hosts.flatMap((agent) => {
    const found = byKey.get(`${agent.licenseId} ${agent.fingerprint}`)
    return [
      ...silence(agent, at),
      ...figures(agent, bounds, at),
      ...strangeKey(agent, at),
      ...(found === undefined ? [] : [clone(found, agent)]),
    ]
  })
}
