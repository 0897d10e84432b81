import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { AlertFactsStore } from './alert-facts.ts'

/** How often the refusals of a license are written at most, in milliseconds. */
const WRITE_EVERY_MS = 10_000

interface Tally {
  readonly unwritten: number
  readonly writtenAt: number
}

/**
 * Counts requests that the rate limits refused, per license. Each replica counts its own and writes them to a table that
 * all read: the first at once, then at most every ten seconds, and at each evaluation here.
 */
export class RefusalTally {
  readonly #store: AlertFactsStore
  readonly #clock: Clock
  readonly #log: Log
  readonly #tallies = new Map<string, Tally>()

  constructor(parts: { readonly store: AlertFactsStore; readonly clock: Clock; readonly log: Log }) {
    this.#store = parts.store
    this.#clock = parts.clock
    this.#log = parts.log
  }

  /** One more refusal. Never fails: a refused request is answered whatever becomes of its count. */
  async note(licenseId: string): Promise<void> {
    const { unwritten, writtenAt } = this.#tallies.get(licenseId) ?? {
      unwritten: 0,
      writtenAt: Number.NEGATIVE_INFINITY,
    }
    this.#tallies.set(licenseId, { unwritten: unwritten + 1, writtenAt })
    if (this.#clock.now().getTime() - writtenAt >= WRITE_EVERY_MS) await this.#write(licenseId)
  }

  /** Writes what is counted and not yet written; licenses that are no longer refused are forgotten. */
  async flush(): Promise<void> {
    for (const [licenseId, { unwritten }] of this.#tallies) {
      if (unwritten > 0) await this.#write(licenseId)
      else this.#tallies.delete(licenseId)
    }
  }

  async #write(licenseId: string): Promise<void> {
    const { unwritten = 0 } = this.#tallies.get(licenseId) ?? {}
    this.#tallies.set(licenseId, { unwritten: 0, writtenAt: this.#clock.now().getTime() })
    try {
      await this.#store.addRefusals(licenseId, unwritten, this.#clock.forStores())
    } catch (error) {
      this.#log.warn({ err: error }, 'refused requests could not be counted')
    }
  }
}
