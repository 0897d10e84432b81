import { randomBytes } from 'node:crypto'

const PREFIX_BYTES = 9

/**
 * Request ids: a random prefix makes them unique over restarts and replicas, and ids with one prefix are in
 * order.
 */
export class RequestIds {
  readonly #prefix = `req_${randomBytes(PREFIX_BYTES).toString('base64url')}`
  #made = 0

  /** Returns the next id: visible ASCII, under 32 characters. */
  next(): string {
    this.#made += 1
    return `${this.#prefix}.${this.#made.toString(36)}`
  }
}
