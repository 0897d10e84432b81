import { unixSeconds } from '../../../kernel/clock.ts'
import { duration } from '../../../kernel/duration.ts'
import type { AlertCondition } from './alert-condition.ts'
import type { TickGap } from './alert-facts.ts'
import type { AlertThresholds } from './alert-thresholds.ts'

const stalled = (
  what: string,
  rest: Pick<AlertCondition, 'summary' | 'details' | 'event'>,
): AlertCondition => ({
  licenseId: '',
  tenantId: undefined,
  dedupKey: `scheduler_stalled:${what}`,
  kind: 'scheduler_stalled',
  severity: 'critical',
  host: undefined,
  ...rest,
})

function missed({ from, until }: TickGap, at: Date): AlertCondition {
  const length = duration((until.getTime() - from.getTime()) / 1000)
  const since = duration((at.getTime() - until.getTime()) / 1000)
  const summary = `no tick ran for ${length} until ${since} ago: nothing was watched meanwhile`
  const details = { from: unixSeconds(from), until: unixSeconds(until) }
  return stalled('tick', { summary, details, event: String(unixSeconds(from)) })
}

function overdue(seconds: number): AlertCondition {
  const summary = `monitors are overdue by ${duration(seconds)}: ticks do not get through them`
  return stalled('monitors', { summary, details: { overdue_seconds: Math.floor(seconds) } })
}

/** Returns the conditions about the scheduler: ticks that were missed, or monitors that are overdue. */
export const schedulerConditions = (
  facts: { readonly gap: TickGap | undefined; readonly monitorsOverdueSeconds: number },
  bounds: AlertThresholds,
  at: Date,
): AlertCondition[] => [
  ...(facts.gap === undefined ? [] : [missed(facts.gap, at)]),
  ...(facts.monitorsOverdueSeconds > bounds.stallSeconds ? [overdue(facts.monitorsOverdueSeconds)] : []),
]
