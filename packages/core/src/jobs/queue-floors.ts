import { RecentMap } from '../recent-map.ts'

/** How long what others put below a floor may stay unseen, in milliseconds. */
const WHOLE_AFTER_MS = 1000
/**
 * Requests that read a queue in that time for which a floor is worth asking for: it is told in a row, and
 * nothing else of a look costs as much.
 */
const WORTH_ASKING = 8
const NOWHERE = Number.NEGATIVE_INFINITY

/** How far back a request reads the shared queue of its license. */
export interface Bound {
  /** Null: all of it; `-infinity`: all of it, and it tells when nothing is due. */
  readonly since: string | null
  /** Which floor it was. */
  readonly floor: number
}

interface Known {
  readonly floor: number
  /** Nothing waits before. */
  readonly ms: number
  readonly text: string | null
  /** The lowest place behind it at which a job was put since: statements under way may not have seen it. */
  lowest: number
  /** When somebody was last told to read the whole queue, and how many have asked since. */
  wholeAtMs: number
  asked: number
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
 * Where the shared queues of licenses begin, as far as this process knows. What was claimed lies ahead of
 * what waits, and until it is cleared away, which a snapshot that stays open forbids, each claim walks over
 * it: behind 60,000 jobs just done a look for 64 hosts cost 19 ms, and 527 beside such a snapshot.
 *
 * A floor is a guess, so it gives way. What this process writes below one lowers it; what others write there
 * is found within a second, since so often somebody reads the whole queue.
 */
export class QueueFloors implements Floors {
  readonly #known = new RecentMap<Known>()
  readonly #elapsedMs: () => number
  #floors = 0

  constructor(elapsedMs: () => number = () => performance.now()) {
    this.#elapsedMs = elapsedMs
  }

  bounds(licenseIds: readonly string[]): readonly Bound[] {
    const now = this.#elapsedMs()
    return licenseIds.map((licenseId) => {
      const known = this.#known.get(licenseId)
      return this.#bound(known ?? this.#set(licenseId, NOWHERE, undefined), now)
    })
  }

  #bound(known: Known, now: number): Bound {
    const { text, floor } = known
    const isWholeDue = now - known.wholeAtMs >= WHOLE_AFTER_MS
    known.asked += 1
    if (text !== null && !isWholeDue) return { since: text, floor }
    const tells = known.asked > WORTH_ASKING
    if (isWholeDue) known.wholeAtMs = now
    if (isWholeDue || tells) known.asked = 0
    return { since: tells ? '-infinity' : null, floor }
  }

  // Of statements that began under one floor the first tells: what was put since is known for that floor
  // only.
  learn(licenseId: string, { floor }: Bound, ms: number): void {
    const known = this.#known.get(licenseId)
    if (known?.floor === floor) this.#set(licenseId, Math.min(ms, known.lowest), known)
  }

  lower(licenseId: string, ms = NOWHERE): void {
    const known = this.#known.get(licenseId)
    if (known === undefined || ms < known.ms) this.#set(licenseId, known === undefined ? NOWHERE : ms, known)
    else known.lowest = Math.min(ms, known.lowest)
  }

  #set(licenseId: string, ms: number, known: Known | undefined): Known {
    this.#floors += 1
    const set = {
      floor: this.#floors,
      ms,
      text: ms === NOWHERE ? null : new Date(ms).toISOString(),
      lowest: Number.POSITIVE_INFINITY,
      wholeAtMs: known?.wholeAtMs ?? this.#elapsedMs(),
      asked: known?.asked ?? 0,
    }
    this.#known.set(licenseId, set)
    return set
  }

  /**
   * For a transaction. It lowers again when all can see its writes, since others learn meanwhile. It teaches
   * nothing: when it is undone, jobs that it took wait again before the place that it saw.
   */
  async whileUnseen<T>(transaction: (floors: Floors) => Promise<T>): Promise<T> {
    const lowered: [licenseId: string, ms: number | undefined][] = []
    try {
      return await transaction({
        bounds: (licenseIds) => this.bounds(licenseIds),
        learn: () => {},
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
