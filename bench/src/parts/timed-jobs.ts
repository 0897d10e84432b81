import { Histogram } from '../measure/histogram.ts'
import type { Done } from '../scenario.ts'

const BEGIN_MS = 20_000

/**
 * Jobs of a queue that runs its handlers itself, counted from the first that began to the last that ended:
 * neither how long it takes to start nor to stop counts.
 */
export class TimedJobs {
  readonly #begun = new Map<string, number>()
  readonly #latency = new Histogram()
  #first = 0
  #last = 0
  #ended = 0
  readonly #working = Promise.withResolvers<void>()

  begin(id: string): void {
    const now = performance.now()
    if (this.#begun.size === 0) {
      this.#first = now
      this.#working.resolve()
    }
    this.#begun.set(id, now)
  }

  end(id: string): void {
    this.#last = performance.now()
    this.#ended += 1
    this.#latency.record((this.#last - (this.#begun.get(id) ?? this.#last)) * 1000)
  }

  /** Waits for the first job, then for `seconds`. @throws Error when none begins */
  async over(seconds: number): Promise<void> {
    const late = setTimeout(() => this.#working.reject(new Error('no job began')), BEGIN_MS)
    await this.#working.promise
    clearTimeout(late)
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  }

  done(): Done {
    const seconds = (this.#last - this.#first) / 1000
    return { operations: this.#ended, seconds, latency: this.#latency.toJSON() }
  }
}
