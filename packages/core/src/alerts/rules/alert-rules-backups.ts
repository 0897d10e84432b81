import type { Agent } from '../../agents/agent.ts'
import { duration } from '../../duration.ts'
import type { AlertCondition } from './alert-condition.ts'
import { hostCondition } from './alert-rules-hosts.ts'
import type { AlertThresholds } from './alert-thresholds.ts'
import { nameOf } from './alert-words.ts'

const HOUR_SECONDS = 3600
const DAY_SECONDS = 86_400

// Hosts report unix seconds of their own clock. A host that never reported a time makes no backups or drills.
const ageOf = (seconds: number | undefined, at: Date): number | undefined =>
  seconds === undefined || seconds <= 0 ? undefined : at.getTime() / 1000 - seconds

function backups(agent: Agent, bounds: AlertThresholds, at: Date): AlertCondition[] {
  const found: AlertCondition[] = []
  const age = ageOf(agent.lastCaptureAt, at)
  const details = { last_capture_at: agent.lastCaptureAt ?? 0 }
  if (age !== undefined && age > bounds.backupHours * HOUR_SECONDS) {
    const summary = `the last backup of ${nameOf(agent)} is ${duration(age)} old`
    const threshold_hours = bounds.backupHours
    found.push(
      hostCondition(agent, 'backup_stale', 'warning', { summary, details: { ...details, threshold_hours } }),
    )
  }
  if (agent.captureSuccess === false) {
    const summary = `the last backup of ${nameOf(agent)} failed`
    found.push(hostCondition(agent, 'backup_failed', 'critical', { summary, details }))
  }
  return found
}

function drills(agent: Agent, bounds: AlertThresholds, at: Date): AlertCondition[] {
  const found: AlertCondition[] = []
  const age = ageOf(agent.lastDrillAt, at)
  const details = { last_drill_at: agent.lastDrillAt ?? 0 }
  if (age !== undefined && age > bounds.drillDays * DAY_SECONDS) {
    const summary = `the last restore drill of ${nameOf(agent)} was ${duration(age)} ago`
    const threshold_days = bounds.drillDays
    found.push(
      hostCondition(agent, 'drill_stale', 'warning', { summary, details: { ...details, threshold_days } }),
    )
  }
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
