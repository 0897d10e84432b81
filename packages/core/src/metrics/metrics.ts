import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/**
 * The registry of one control plane and the way families are made: no identifier, host, key or path in a label, and
 * every label set exists at zero from the start (wire: /metrics).
 */
export class Metrics {
  readonly registry = new Registry()

  /** A counter whose label sets all stand at zero. */
  counter<L extends string>(
    name: string,
    help: string,
    labels: Readonly<Record<L, readonly string[]>>,
  ): Counter<L> {
    const labelNames = Object.keys(labels) as L[]
    const counter = new Counter({ name, help, labelNames, registers: [this.registry] })
    for (const set of everySet(labels)) counter.inc(set, 0)
    return counter
  }

  /** A gauge; `collect` runs at each scrape and must not keep it waiting. */
  gauge<L extends string>(
    name: string,
    help: string,
    labels: Readonly<Record<L, readonly string[]>>,
    collect?: (gauge: Gauge<L>) => void | Promise<void>,
  ): Gauge<L> {
    const labelNames = Object.keys(labels) as L[]
    const gauge: Gauge<L> = new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      ...(collect ? { collect: () => collect(gauge) } : {}),
    })
    for (const set of everySet(labels)) gauge.set(set, 0)
    return gauge
  }

  /** A histogram in seconds. */
  histogram<L extends string>(
    name: string,
    help: string,
    labels: Readonly<Record<L, readonly string[]>>,
    buckets: readonly number[],
  ): Histogram<L> {
    const labelNames = Object.keys(labels) as L[]
    const histogram = new Histogram({
      name,
      help,
      labelNames,
      buckets: [...buckets],
      registers: [this.registry],
    })
    for (const set of everySet(labels)) histogram.zero(set)
    return histogram
  }

  /** The exposition, text format 0.0.4. */
  exposition(): Promise<string> {
    return this.registry.metrics()
  }
}

function everySet<L extends string>(labels: Readonly<Record<L, readonly string[]>>): Record<L, string>[] {
  let sets: Record<string, string>[] = [{}]
  for (const [name, values] of Object.entries<readonly string[]>(labels)) {
    sets = sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value })))
  }
  return sets as Record<L, string>[]
}
