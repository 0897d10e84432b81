/** Bounds of the attempts of one process. */
export interface InFlightLimits {
  readonly concurrency: number
  readonly perRecipient: number
}

/**
 * Attempts of one kind that are under way in this process. A claim is worth its statement only if it may take
 * several, so a receiver gets no new ones until half of its share is free, and there is room only when a
 * quarter of the whole is.
 */
export class InFlight {
  readonly #limits: InFlightLimits
  readonly #byRecipient = new Map<string, number>()
  #total = 0
  #count = 0
  #next = Promise.withResolvers<void>()
  /** The receiver that was served last, after which the next claim begins. */
  after: string | undefined

  constructor(limits: InFlightLimits) {
    this.#limits = limits
  }

  get free(): number {
    return Math.max(0, this.#limits.concurrency - this.#total)
  }

  /** Number of attempts that have ended. */
  get ended(): number {
    return this.#count
  }

  /** The shares that receivers with attempts under way may still get. */
  get shares(): Readonly<Record<string, number>> {
    const { perRecipient } = this.#limits
    const share = (flying: number) => (flying > perRecipient / 2 ? 0 : perRecipient - flying)
    return Object.fromEntries([...this.#byRecipient].map(([recipient, flying]) => [recipient, share(flying)]))
  }

  begin(recipient: string): void {
    this.#total += 1
    this.#byRecipient.set(recipient, (this.#byRecipient.get(recipient) ?? 0) + 1)
    this.after = recipient
  }

  end(recipient: string): void {
    this.#total -= 1
    const rest = (this.#byRecipient.get(recipient) ?? 1) - 1
    if (rest > 0) this.#byRecipient.set(recipient, rest)
    else this.#byRecipient.delete(recipient)
    this.#count += 1
    const next = this.#next
    this.#next = Promise.withResolvers()
    next.resolve()
  }

  /** Resolves when another attempt is over. */
  next(): Promise<void> {
    return this.#next.promise
  }

  /** Resolves when a claim may take several deliveries, or when `signal` is aborted. */
  async room(signal: AbortSignal | undefined): Promise<void> {
    const isFull = () => this.free < Math.ceil(this.#limits.concurrency / 4)
    if (!isFull()) return
    const aborted = new Promise<void>((resolve) => {
      signal?.addEventListener('abort', () => resolve(), { once: true })
    })
    while (isFull() && signal?.aborted !== true) await Promise.race([this.next(), aborted])
  }
}
