import type { Random } from './random.ts'

/** Faults that may occur in a run. */
export const FAULTS = [
  'lost-request',
  'lost-answer',
  'duplicate',
  'delay',
  'agent-crash',
  'agent-amnesia',
  'agent-pause',
  'clock-offset',
  'database-jump',
  'database-failure',
  'slow-database',
  'replica-crash',
  'cancel',
  'retry',
  'suspend',
  'revoke',
  'drain',
  'forget',
  'burst',
  'stranger',
  'slow-job',
  'receiver-failure',
] as const
export type Fault = (typeof FAULTS)[number]

/**
 * Draws a mix of faults. Each fault is left out with a probability of 30 to 50 %, so that runs with few
 * faults come up, too.
 */
export function drawFaults(random: Random): Fault[] {
  const left = 0.3 + 0.2 * random.fraction()
  return FAULTS.filter(() => !random.chance(left))
}
