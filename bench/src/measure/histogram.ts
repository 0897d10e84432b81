const LINEAR = 64
const HALF = LINEAR / 2
const BUCKETS = LINEAR + HALF * 32

/** A histogram as it travels between processes: pairs of bucket and count. */
export type HistogramParts = {
  readonly buckets: readonly (readonly [number, number])[]
  readonly max: number
}

/**
 * Latencies in microseconds, 3 % wide buckets: quantiles of any number of requests in 4 KB, mergeable over
 * rounds and processes.
 */
export class Histogram {
  readonly #counts = new Uint32Array(BUCKETS)
  #count = 0
  #max = 0

  get count(): number {
    return this.#count
  }

  /** The largest value, exactly. */
  get max(): number {
    return this.#max
  }

  record(micros: number): void {
    const value = Math.max(0, Math.round(micros))
    const bucket = bucketOf(value)
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#count += 1
    if (value > this.#max) this.#max = value
  }

  /** The value that a share `q` (0..1) of the records does not exceed; 0 when there are none. */
  quantile(q: number): number {
    const wanted = Math.max(1, Math.ceil(this.#count * q))
    let seen = 0
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      seen += this.#counts[bucket] ?? 0
      if (seen >= wanted && seen > 0) return Math.min(upperOf(bucket), this.#max)
    }
    return 0
  }

  merge({ buckets, max }: HistogramParts): this {
    for (const [bucket, count] of buckets) {
      this.#counts[bucket] = (this.#counts[bucket] ?? 0) + count
      this.#count += count
    }
    this.#max = Math.max(this.#max, max)
    return this
  }

  toJSON(): HistogramParts {
    const buckets: [number, number][] = []
    for (const [bucket, count] of this.#counts.entries()) if (count > 0) buckets.push([bucket, count])
    return { buckets, max: this.#max }
  }
}

// Below 64 a bucket for each value, above 32 for each doubling.
function bucketOf(value: number): number {
  if (value < LINEAR) return value
  const doublings = 31 - Math.clz32(Math.min(value, 0x7fffffff)) - 5
  const bucket = LINEAR + (doublings - 1) * HALF + ((value >>> doublings) - HALF)
  return Math.min(bucket, BUCKETS - 1)
}

function upperOf(bucket: number): number {
  if (bucket < LINEAR) return bucket
  const doublings = Math.floor((bucket - LINEAR) / HALF) + 1
  const step = ((bucket - LINEAR) % HALF) + HALF
  return (step + 1) * 2 ** doublings - 1
}
