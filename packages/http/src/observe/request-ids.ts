import { randomBytes } from 'node:crypto'

const PREFIX_BYTES = 9

/** Names of requests: unique over restarts and replicas by a random prefix, in order within it. */
export class RequestIds {
  readonly #prefix = `req_${randomBytes(PREFIX_BYTES).toString('base64url')}`
  #made = 0

  /** The next name: visible ASCII, under 32 characters. */
  next(): string {
    this.#made += 1
    return `${this.#prefix}.${this.#made.toString(36)}`
  }
}
