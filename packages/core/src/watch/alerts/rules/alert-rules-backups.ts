import { duration } from '../../../kernel/duration.ts'
import type { Agent } from '../../../work/agents/agent.ts'
import { secondsAhead } from '../../../work/agents/agent.ts'
import type { AlertCondition } from './alert-condition.ts'
import { hostCondition } from './alert-rules-hosts.ts'
import type { AlertThresholds } from './alert-thresholds.ts'
import { nameOf } from './alert-words.ts'

const HOUR_SECONDS = 3600
const DAY_SECONDS = 86_400

interface Stale {
  readonly kind: 'backup_stale' | 'drill_stale'
  /** The time that the host reported, in unix seconds of its own clock; one that never did makes none. */
  readonly reported: number | undefined
  readonly bound: number
  readonly old: (age: string) => string
  /** The thing that has this time. */
  readonly of: string
  readonly details: AlertCondition['details']
}

function stale(agent: Agent, { kind, reported, bound, old, of, details }: Stale, at: Date): AlertCondition[] {
  if (reported === undefined || reported <= 0) return []
  const ahead = secondsAhead(reported, at)
  if (ahead !== undefined) {
    const summary = `the time of the last ${of} of ${nameOf(agent)} is ${duration(ahead)} ahead of our clock, so its age is not known: look at the clock of the host`
    return [
      hostCondition(agent, kind, 'warning', { summary, details: { ...details, clock_ahead_seconds: ahead } }),
    ]
  }
  const age = at.getTime() / 1000 - reported
  if (age <= bound) return []
  return [hostCondition(agent, kind, 'warning', { summary: old(duration(age)), details })]
}

function backups(agent: Agent, bounds: AlertThresholds, at: Date): AlertCondition[] {
  const details = { last_capture_at: agent.lastCaptureAt ?? 0 }
  const found = stale(
    agent,
    {
      kind: 'backup_stale',
      reported: agent.lastCaptureAt,
      bound: bounds.backupHours * HOUR_SECONDS,
      old: (age) => `the last backup of ${nameOf(agent)} is ${age} old`,
      of: 'backup',
      details: { ...details, threshold_hours: bounds.backupHours },
    },
    at,
  )
  if (agent.captureSuccess === false) {
    const summary = `the last backup of ${nameOf(agent)} failed`
    found.push(hostCondition(agent, 'backup_failed', 'critical', { summary, details }))
  }
  return found
}

function drills(agent: Agent, bounds: AlertThresholds, at: Date): AlertCondition[] {
  const details = { last_drill_at: agent.lastDrillAt ?? 0 }
  const found = stale(
    agent,
    {
      kind: 'drill_stale',
      reported: agent.lastDrillAt,
      bound: bounds.drillDays * DAY_SECONDS,
      old: (age) => `the last restore drill of ${nameOf(agent)} was ${age} ago`,
      of: 'restore drill',
      details: { ...details, threshold_days: bounds.drillDays },
    },
    at,
  )
  if (agent.drillPass === false) {
    const summary = `the last restore drill of ${nameOf(agent)} failed: its backups may not restore`
    found.push(hostCondition(agent, 'drill_failed', 'critical', { summary, details }))
  }
  return found
}

/** Returns the conditions about backups and restore drills. */
export const backupConditions = (
  hosts: readonly Agent[],
  bounds: AlertThresholds,
  at: Date,
): AlertCondition[] => hosts.flatMap((agent) => [...backups(agent, bounds, at), ...drills(agent, bounds, at)])
