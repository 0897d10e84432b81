import { Problem } from '@svc/core'

/**
 * Most request bytes held at once, over all requests: beyond it, requests get 503 with `Retry-After`, so that
 * a flood of large bodies does not exhaust the memory.
 */
export const MAX_BYTES_IN_FLIGHT = 64 * 1024 * 1024

const RETRY_SECONDS = 1

/**
 * Counts the request bytes in memory. Only bytes that have arrived count: a declared length reserves nothing.
 */
export class RequestBytes {
  readonly #max: number
  #held = 0

  constructor(max: number = MAX_BYTES_IN_FLIGHT) {
    this.#max = max
  }

  /** Bytes held now. */
  get held(): number {
    return this.#held
  }

  /**
   * Adds bytes that have arrived.
   * @throws Problem `unavailable` when all requests together would hold too much
   */
  take(bytes: number): void {
    if (this.#held + bytes > this.#max) throw new Problem('unavailable', { retryAfterSeconds: RETRY_SECONDS })
    this.#held += bytes
  }

  /** Subtracts bytes that are no longer held. */
  release(bytes: number): void {
    this.#held -= bytes
  }

  /** Returns a new share, for one request. */
  share(): RequestShare {
    return new RequestShare(this)
  }
}

/** The part of the bytes in flight that one request holds. */
export class RequestShare {
  readonly #all: RequestBytes
  #taken = 0

  constructor(all: RequestBytes) {
    this.#all = all
  }

  /** @throws Problem `unavailable` when all requests together would hold too much */
  take(bytes: number): void {
    this.#all.take(bytes)
    this.#taken += bytes
  }

  /** Releases all bytes of this request. */
  release(): void {
    this.#all.release(this.#taken)
    this.#taken = 0
  }
}
