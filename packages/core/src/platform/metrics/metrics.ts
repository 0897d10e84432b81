import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** A histogram of `Metrics`, as features use it. */
export interface Observer<L extends string> {
  observe(labels: Readonly<Record<L, string>>, seconds: number): void
}

/**
 * Metrics registry of one control plane. No label has an identifier, host, key or path, and every label set
 * is exposed at zero from the start (docs/reference/metrics.md). The zeros are made at the first scrape, so
 * that a plane that is never scraped, such as a command's or a test's, starts faster.
 */
export class Metrics {
  readonly registry = new Registry()
  #unfilled: (() => void)[] = []
  #written: Promise<string> | undefined

  /** Returns a counter whose label sets all start at zero. */
  counter<L extends string>(
    name: string,
    help: string,
    labels: Readonly<Record<L, readonly string[]>>,
  ): Counter<L> {
    const labelNames = Object.keys(labels) as L[]
    const counter = new Counter({ name, help, labelNames, registers: [this.registry] })
    this.#fillWith(labels, (set) => counter.inc(set, 0))
    return counter
  }

  /** Returns a gauge. `collect` runs at each scrape and must not delay it. */
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
    this.#fillWith(labels, (set) => gauge.inc(set, 0))
    return gauge
  }

  /** Returns a histogram in seconds. */
  histogram<L extends string>(
    name: string,
    help: string,
    labels: Readonly<Record<L, readonly string[]>>,
    buckets: readonly number[],
  ): Observer<L> {
    const labelNames = Object.keys(labels) as L[]
    const histogram = new Histogram({
      name,
      help,
      labelNames,
      buckets: [...buckets],
      registers: [this.registry],
    })
    const keyOf = (set: Readonly<Record<L, string>>) => labelNames.map((label) => set[label]).join()
    const observed = new Set<string>()
    // Zeroing a set would delete its observations.
    this.#fillWith(labels, (set) => {
      if (!observed.has(keyOf(set))) histogram.zero(set)
    })
    return {
      observe: (set, seconds) => {
        observed.add(keyOf(set))
        histogram.observe(set, seconds)
      },
    }
  }

  /**
   * Returns the metrics in text format 0.0.4. Writing them takes 10 ms of the event loop, so concurrent
   * callers share one result.
   */
  exposition(): Promise<string> {
    this.#written ??= this.#write().finally(() => {
      this.#written = undefined
    })
    return this.#written
  }

  #write(): Promise<string> {
    for (const fill of this.#unfilled) fill()
    this.#unfilled = []
    return this.registry.metrics()
  }

  #fillWith<L extends string>(
    labels: Readonly<Record<L, readonly string[]>>,
    fill: (set: Record<L, string>) => void,
  ): void {
    this.#unfilled.push(() => everySet(labels).forEach(fill))
  }
}

function everySet<L extends string>(labels: Readonly<Record<L, readonly string[]>>): Record<L, string>[] {
  let sets: Record<string, string>[] = [{}]
  for (const [name, values] of Object.entries<readonly string[]>(labels)) {
    sets = sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value })))
  }
  return sets as Record<L, string>[]
}
