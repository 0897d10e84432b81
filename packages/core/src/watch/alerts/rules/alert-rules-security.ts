import { driftState } from '../../../hosts/node-security/applied-security.ts'
import type { SecurityStanding } from '../../../hosts/node-security/node-security-store.ts'
import { unixSeconds } from '../../../kernel/clock.ts'
import { type Agent, agentState } from '../../../work/agents/agent.ts'
import type { AlertCondition } from './alert-condition.ts'
import { hostCondition } from './alert-rules-hosts.ts'
import type { AlertThresholds } from './alert-thresholds.ts'
import { nameOf } from './alert-words.ts'

const REASONS = {
  waiting: 'no attempt has ended yet',
  failed: 'the latest attempt failed',
  rolled_back: 'the latest attempt was rolled back',
} as const

/**
 * Returns the conditions about hosts that are not as their security document says. A host that is offline
 * has an alert of its own, and takes no document.
 */
export function securityConditions(
  facts: { readonly hosts: readonly Agent[]; readonly standings: readonly SecurityStanding[] },
  { driftMinutes }: Pick<AlertThresholds, 'driftMinutes'>,
  at: Date,
): AlertCondition[] {
  const byKey = new Map(facts.hosts.map((each) => [`${each.licenseId} ${each.fingerprint}`, each]))
  return facts.standings.flatMap((standing) => {
    const agent = byKey.get(`${standing.licenseId} ${standing.fingerprint}`)
    const state = driftState(standing)
    if (agent === undefined || state === 'as_told') return []
    const { desired, applied } = standing
    const has = applied.revision === 0 ? 'none' : applied.revision
    const summary = `${nameOf(agent)} is to have revision ${desired.revision} of its security settings and has ${has}: ${REASONS[state]}`
    const details = {
      state,
      desired_revision: desired.revision,
      applied_revision: applied.revision,
      updated_at: unixSeconds(desired.updatedAt),
    }
    const isStale = agentState(agent, at) === 'offline'
    const rest = { summary, details, isStale, holdSeconds: driftMinutes * 60 }
    return [hostCondition(agent, 'security_drift', 'warning', rest)]
  })
}
