import type { Clock } from '../../../kernel/clock.ts'
import type { Log } from '../../../kernel/log.ts'
import type { AlertFactsStore } from './alert-facts.ts'

/** Shortest time between two writes of the refusals of a license, in milliseconds. */
const WRITE_EVERY_MS = 10_000

interface Tally {
  readonly unwritten: number
  readonly writtenAt: number
}

const UNKNOWN: Tally = { unwritten: 0, writtenAt: Number.NEGATIVE_INFINITY }

/**
 * Counts requests that the rate limits refused, per license. Each replica adds its own counts to a shared
 * table: the first refusal at once, later ones at most every ten seconds and at each evaluation on this
 * replica.
 */
export class RefusalTally {
  readonly #store: AlertFactsStore
  readonly #clock: Clock
  readonly #log: Log
  readonly #tallies = new Map<string, Tally>()
  readonly #writing = new Map<string, Promise<void>>()

  constructor(parts: { readonly store: AlertFactsStore; readonly clock: Clock; readonly log: Log }) {
    this.#store = parts.store
    this.#clock = parts.clock
    this.#log = parts.log
  }

  /**
   * Counts one refusal. The write runs in the background: the answer to a refused request neither waits for
   * the database nor depends on the write.
   */
  note(licenseId: string): void {
    const { unwritten, writtenAt } = this.#tallies.get(licenseId) ?? UNKNOWN
    this.#tallies.set(licenseId, { unwritten: unwritten + 1, writtenAt })
    if (this.#clock.now().getTime() - writtenAt >= WRITE_EVERY_MS) this.#begin(licenseId)
  }

  /** Writes all unwritten counts, and drops licenses that are no longer refused. */
  async flush(): Promise<void> {
    for (const [licenseId, { unwritten }] of this.#tallies) {
      if (unwritten > 0) this.#begin(licenseId)
      else if (!this.#writing.has(licenseId)) this.#tallies.delete(licenseId)
    }
    await Promise.all(this.#writing.values())
  }

  // Writes of one license run one after another; refusals during a write go into the next one.
  #begin(licenseId: string): void {
    const before = this.#writing.get(licenseId) ?? Promise.resolve()
    const { unwritten } = this.#tallies.get(licenseId) ?? UNKNOWN
    this.#tallies.set(licenseId, { unwritten: 0, writtenAt: this.#clock.now().getTime() })
    const write = before
      .then(() => this.#store.addRefusals(licenseId, unwritten, this.#clock.statementTime()))
      .catch((error: unknown) => this.#log.warn({ err: error }, 'refused requests could not be counted'))
      .finally(() => {
        if (this.#writing.get(licenseId) === write) this.#writing.delete(licenseId)
      })
    this.#writing.set(licenseId, write)
  }
}
