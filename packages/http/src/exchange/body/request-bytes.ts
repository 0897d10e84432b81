import type { IncomingMessage } from 'node:http'
import { Problem } from '@svc/core'
import { ClientGone, Refusal } from '../errors.ts'

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

/**
 * Bytes that the client of a refused upload may still send before its connection is cut, so that the client
 * can read the answer.
 */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024

const MOUNT_BEFORE = 'mount the control plane before body parsers'

/** The limits on the bytes of one body: its own, and its share of all requests. */
export interface ReadLimits {
  readonly maxBytes: number
  readonly share: Pick<RequestShare, 'take'>
}

/**
 * Reads a request body and returns the result of `finish`, which gets the chunks as they arrived and their
 * length. Bodies are not inflated: a compressed body is refused like broken JSON, so no small request grows
 * into a large one. A body that is too large by its declared length is refused before any byte is read.
 * @throws Refusal `invalid-json`, `payload-too-large` or `body-was-read`, Problem `unavailable`, ClientGone,
 * or the error of `finish`
 */
export function readBytes<T>(
  request: IncomingMessage,
  limits: ReadLimits,
  finish: (chunks: readonly Buffer[], length: number) => T | Promise<T>,
): Promise<T> {
  if (isCoded(request)) throw new Refusal('invalid-json')
  if (Number(request.headers['content-length'] ?? 0) > limits.maxBytes) {
    discard(request)
    throw new Refusal('payload-too-large')
  }
  if (request.readableEnded) throw new Refusal('body-was-read', {}, MOUNT_BEFORE)
  // A client that left while the gate ran emits no further `close` event.
  if (request.destroyed) throw new ClientGone()
  return collect(request, limits, finish)
}

/** Whether a body has a `Content-Encoding` other than `identity`. */
export function isCoded({ headers }: IncomingMessage): boolean {
  const coding = headers['content-encoding']?.trim().toLowerCase()
  return coding !== undefined && coding !== '' && coding !== 'identity'
}

function collect<T>(
  request: IncomingMessage,
  { maxBytes, share }: ReadLimits,
  finish: (chunks: readonly Buffer[], length: number) => T | Promise<T>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  let chunks: Buffer[] = []
  let length = 0
  let isWhole = false
  const onData = (chunk: Buffer) => {
    length += chunk.length
    try {
      if (length > maxBytes) throw new Refusal('payload-too-large')
      share.take(chunk.length)
      chunks.push(chunk)
    } catch (error) {
      request.off('data', onData).off('end', onEnd)
      discard(request)
      reject(error)
    }
  }
  const onEnd = () => {
    isWhole = true
    const whole = chunks
    // A request may wait for a minute, and its listeners keep what they know.
    chunks = []
    try {
      resolve(finish(whole, length))
    } catch (refusal) {
      reject(refusal)
    }
  }
  // Every request emits `close`; only a request that closes before its end has lost its client.
  const onGone = () => {
    if (!isWhole) reject(new ClientGone())
  }
  request.on('data', onData)
  request.on('end', onEnd)
  // No listener for `error` is needed: Node emits it only if there is a listener, and emits `close` after it.
  request.on('close', onGone)
  return promise
}

/** Reads and drops the rest of a refused body, up to a limit, so that the client can read the refusal. */
function discard(request: IncomingMessage): void {
  let discarded = 0
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > MAX_DISCARDED_BYTES) request.destroy()
  })
}
