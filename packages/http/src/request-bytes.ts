import { Problem } from '@svc/core'

/** Request bytes held at once, over all requests: a flood of large bodies is told to come back, and memory is not. */
export const MAX_BYTES_IN_FLIGHT = 64 * 1024 * 1024

const RETRY_SECONDS = 1

/** Counts the request bytes in memory. Only bytes that have arrived count: a declared length reserves nothing. */
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

  /** A share for one request, given back when it is disposed. */
  share(): RequestShare {
    let taken = 0
    return {
      take: (bytes) => {
        if (this.#held + bytes > this.#max) {
          throw new Problem('unavailable', { retryAfterSeconds: RETRY_SECONDS })
        }
        taken += bytes
        this.#held += bytes
      },
      [Symbol.dispose]: () => {
        this.#held -= taken
        taken = 0
      },
    }
  }
}

/** What one request holds of the bytes in flight. */
export interface RequestShare extends Disposable {
  /** @throws Problem `unavailable` when all requests together would hold too much */
  take(bytes: number): void
}
