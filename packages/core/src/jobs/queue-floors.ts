import { RecentMap } from '../recent-map.ts'

/** How long what others put below a floor may stay unseen, in milliseconds. */
const WHOLE_AFTER_MS = 1000
const NOWHERE = Number.NEGATIVE_INFINITY

/** How far back a request reads the shared queue of its license. */
export interface Bound {
  /** Null: all of it; `-infinity`: all of it, and what it finds is learned from. */
  readonly since: string | null
  /** Which floor it was. */
  readonly floor: number
}

const UNKNOWN = 0
const UNBOUND: Bound = { since: null, floor: UNKNOWN }

interface Known {
  readonly floor: number
  /** Nothing waits before. */
  readonly ms: number
  readonly text: string | null
  /** The lowest place at which a job was put since this floor was learned: statements under way may not have seen it. */
  lowest: number
  /** When somebody was last told to read the whole queue. */
  wholeAtMs: number
}

/** What is known of shared queues, as statements use it. */
export interface Floors {
  /** Bounds for requests of these licenses, in their order. */
  bounds(licenseIds: readonly string[]): readonly Bound[]
  /** Nothing waits before `ms` (unix milliseconds), as a statement found that was told `bound`. */
  learn(licenseId: string, bound: Bound, ms: number): void
  /** A job was put at `ms`, or may have been put anywhere. */
  lower(licenseId: string, ms?: number): void
}

/**
 * Where the shared queues of licenses begin, as far as this process knows. What was claimed lies ahead of what waits, and until
 * it is cleared away, which a snapshot that stays open forbids, each claim walks over it: behind 60,000 jobs just done a look for
 * 64 hosts cost 19 ms, and 527 beside such a snapshot.
 *
 * A floor is a guess, so it gives way. What this process writes below one lowers it; what others write there is found within
 * a second, since so often somebody reads the whole queue.
 */
export class QueueFloors implements Floors {
  readonly #known = new RecentMap<Known>()
  readonly #elapsedMs: () => number
  #learned = UNKNOWN

  constructor(elapsedMs: () => number = () => performance.now()) {
    this.#elapsedMs = elapsedMs
  }

  bounds(licenseIds: readonly string[]): readonly Bound[] {
    const whole = new Set<string>()
    return licenseIds.map((licenseId) => {
      const known = this.#known.get(licenseId)
      if (known === undefined) return UNBOUND
      const { text, floor } = known
      // One of each license: the others would walk over the same.
      if (whole.has(licenseId) || !this.#isWholeDue(known)) return { since: text, floor }
      whole.add(licenseId)
      return { since: '-infinity', floor }
    })
  }

  #isWholeDue(known: Known): boolean {
    const now = this.#elapsedMs()
    if (known.text !== null && now - known.wholeAtMs < WHOLE_AFTER_MS) return false
    known.wholeAtMs = now
    return true
  }

  // Of statements that began under one floor the first tells: what was put there since is known for that floor only.
  learn(licenseId: string, { floor }: Bound, ms: number): void {
    const known = this.#known.get(licenseId)
    if ((known?.floor ?? UNKNOWN) !== floor) return
    this.#learned += 1
    const place = Math.min(ms, known?.lowest ?? ms)
    this.#set(licenseId, { floor: this.#learned, ms: place, lowest: Number.POSITIVE_INFINITY }, known)
  }

  lower(licenseId: string, ms = NOWHERE): void {
    const known = this.#known.get(licenseId)
    if (known === undefined) this.#set(licenseId, { floor: UNKNOWN, ms: NOWHERE, lowest: ms }, known)
    else if (ms < known.ms) this.#set(licenseId, { ...known, ms, lowest: Math.min(ms, known.lowest) }, known)
    else known.lowest = Math.min(ms, known.lowest)
  }

  #set(licenseId: string, set: Pick<Known, 'floor' | 'ms' | 'lowest'>, known: Known | undefined): void {
    const { floor, ms, lowest } = set
    const text = ms === NOWHERE ? null : new Date(ms).toISOString()
    this.#known.set(licenseId, { floor, ms, text, lowest, wholeAtMs: known?.wholeAtMs ?? this.#elapsedMs() })
  }

  /** For a transaction: what it lowers is lowered again when all can see what it wrote, since others learn meanwhile. */
  async whileUnseen<T>(transaction: (floors: Floors) => Promise<T>): Promise<T> {
    const lowered: [licenseId: string, ms: number | undefined][] = []
    try {
      return await transaction({
        bounds: (licenseIds) => this.bounds(licenseIds),
        learn: (licenseId, bound, ms) => this.learn(licenseId, bound, ms),
        lower: (licenseId, ms) => {
          lowered.push([licenseId, ms])
          this.lower(licenseId, ms)
        },
      })
    } finally {
      for (const [licenseId, ms] of lowered) this.lower(licenseId, ms)
    }
  }
}
