/** Fewest items of an early statement: with 8 the cost of a statement takes too much of the gain. */
const LEAST_EARLY_ITEMS = 16
/**
 * No statement goes early if each takes at least this long, in milliseconds: with slow commits each has to
 * carry more items. Heartbeats of 64 connections go in statements of 0.6 to 2 ms.
 */
const EARLY_BELOW_MS = 5
/** Both estimates decay by 10 % a statement: they follow a slower database or a smaller load within ten. */
const FADING = 1.1

/** Settings of a flush policy. */
export interface FlushParts {
  /** Items that one statement carries at most. */
  readonly maxItems: number
  /** Statements under way at once. */
  readonly lanes: number
  /** Whether statements of this kind may go early at all, asked anew each time. */
  readonly mayFlushEarly: () => boolean
}

/**
 * Decides whether a batch may send a statement before the event-loop turn ends, and how many items each
 * carries. It estimates the load by the recent peak of unanswered items, and the database by its fastest
 * recent statement.
 */
export class FlushPolicy {
  readonly #parts: FlushParts
  #fastestMs = 0
  #unanswered = 0
  #recentPeak = 0

  constructor(parts: FlushParts) {
    this.#parts = parts
  }

  /** Counts an item that came in. */
  arrived(): void {
    this.#unanswered += 1
    this.#recentPeak = Math.max(this.#unanswered, this.#recentPeak)
  }

  /** Counts items that were answered or rejected. */
  answered(count: number): void {
    this.#unanswered -= count
  }

  /** Notes that a statement was sent. */
  sent(): void {
    this.#recentPeak = Math.max(this.#unanswered, this.#recentPeak / FADING)
  }

  /** Notes the duration of a statement. */
  took(milliseconds: number): void {
    this.#fastestMs = Math.min(milliseconds, this.#fastestMs * FADING + 0.01)
  }

  /** Whether a statement may go while the turn still brings more. */
  get mayFlushEarly(): boolean {
    const { lanes, mayFlushEarly } = this.#parts
    return lanes > 1 && this.#fastestMs < EARLY_BELOW_MS && mayFlushEarly()
  }

  /**
   * Items that a statement carries at most. An early one carries a lane's share of the recent peak, so that
   * all lanes carry about as much.
   */
  get mostItems(): number {
    const { lanes, maxItems } = this.#parts
    if (!this.mayFlushEarly) return maxItems
    return Math.min(maxItems, Math.max(LEAST_EARLY_ITEMS, Math.ceil(this.#recentPeak / lanes)))
  }
}
