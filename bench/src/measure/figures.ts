import type { Usage } from '../part.ts'
import type { PostgresTotals } from '../postgres.ts'
import type { Done } from '../scenario.ts'
import { Histogram } from './histogram.ts'

/** The figures of one round by name; figures that were not measured are absent. */
export type Figures = Readonly<Record<string, number>>

/** Totals before and after a round. */
export interface Totals {
  readonly postgres: PostgresTotals | undefined
  readonly usage: Usage | undefined
}

const MIB = 2 ** 20

/** Returns the figures of a round: operations a second, latencies in microseconds, costs per operation. */
export function figuresOf(done: Done, before: Totals, after: Totals): Figures {
  const { operations, answered = operations, seconds, latency, figures } = done
  const each = (total: number | undefined) => (total === undefined ? undefined : total / answered)
  const nodeMicros = each(difference(before.usage?.cpuMicros, after.usage?.cpuMicros))
  const server = difference(before.postgres?.cpuMicros, after.postgres?.cpuMicros)
  const postgresMicros = each(done.databaseMicros ?? server)
  const cpu = nodeMicros === undefined ? postgresMicros : nodeMicros + (postgresMicros ?? 0)
  return present({
    perSecond: operations / seconds,
    ...latencies(latency),
    nodeMicros,
    postgresMicros,
    cpuMicros: cpu,
    statements: each(difference(before.postgres?.statements, after.postgres?.statements)),
    walBytes: each(difference(before.postgres?.walBytes, after.postgres?.walBytes)),
    rssMib: after.usage === undefined ? undefined : after.usage.rssBytes / MIB,
    ...figures,
  })
}

function latencies(parts: Done['latency']): Record<string, number | undefined> {
  if (parts === undefined) return {}
  const histogram = new Histogram().merge(parts)
  return { p50: histogram.quantile(0.5), p99: histogram.quantile(0.99), max: histogram.max }
}

const difference = (before: number | undefined, after: number | undefined) =>
  before === undefined || after === undefined ? undefined : after - before

function present(figures: Readonly<Record<string, number | undefined>>): Figures {
  const given = Object.entries(figures).filter((entry): entry is [string, number] => entry[1] !== undefined)
  return Object.fromEntries(given)
}
