import { type BreakerVerdict, NEW_RECIPIENT, type RecipientState } from '@svc/core/ports'
import { later } from './memory-claim.ts'

/**
 * Returns the state after an attempt, as the statement that settles deliveries writes it. Results that come
 * while the breaker is open, of attempts from before, do not move it.
 */
export function afterAttempt(state: RecipientState, verdict: BreakerVerdict, now: Date): RecipientState {
  const { delivered, policy, spread } = verdict
  if (delivered) {
    const seen = { ...state, lastSuccessAt: now }
    return state.breaker === 'open' ? seen : { ...NEW_RECIPIENT, ...SEEN(seen) }
  }
  const failing = { ...state, lastFailureAt: now, failingSince: state.failingSince ?? now }
  if (state.breaker === 'open') return failing
  const consecutiveFailures = state.consecutiveFailures + 1
  const opens = state.breaker === 'half_open' ? state.opens + 1 : 1
  if (state.breaker === 'closed' && consecutiveFailures < policy.failures)
    return { ...failing, consecutiveFailures }
  const seconds = Math.min(policy.cooldownSeconds * 2 ** (opens - 1), policy.cooldownMaxSeconds) * spread
  const openUntil = later(now, seconds)
  return { ...failing, consecutiveFailures, opens, breaker: 'open', openUntil, probeUntil: undefined }
}

const SEEN = ({ lastSuccessAt, lastFailureAt, paused }: RecipientState) => ({
  lastSuccessAt,
  lastFailureAt,
  paused,
})
