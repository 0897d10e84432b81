import { Readable } from 'node:stream'
import type { Timers } from '@svc/core'

/** The media type of server-sent events. */
export const SSE_TYPE = 'text/event-stream; charset=utf-8'
/** Headers that keep proxies from buffering, changing or caching a stream. */
export const SSE_HEADERS = { 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' } as const
/** Interval between the comments that show that the stream is alive, in ms. */
export const PING_MS = 15_000
/** How long a client may leave ready events unread, in ms. */
export const STALL_MS = 10_000

const PING = ': ping\n\n'
/** Bytes buffered for a client before no further event is taken; the last event may exceed it. */
const BUFFER_BYTES = 16 * 1024

/** Inputs of an event stream. */
export interface EventStreamParts {
  readonly events: AsyncIterable<object>
  readonly timers: Timers
  /** Aborted when the client has left, reads too slowly, or has received every event. */
  readonly leaving: AbortController
}

/**
 * Events as lines of JSON in the form of server-sent events, each taken from its source only when there is
 * room for it. A comment goes out every 15 s. A client that reads nothing for 10 s while an event is ready is
 * dropped.
 */
export class EventStream extends Readable {
  readonly #parts: EventStreamParts
  #begun = false
  #isOver = false
  #makeRoom: (() => void) | undefined

  constructor(parts: EventStreamParts) {
    super({ highWaterMark: BUFFER_BYTES })
    this.#parts = parts
  }

  override _read(): void {
    this.#makeRoom?.()
    if (this.#begun) return
    this.#begun = true
    void this.#send()
    void this.#ping()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#parts.leaving.abort()
    this.#makeRoom?.()
    done(error)
  }

  async #send(): Promise<void> {
    try {
      for await (const event of this.#parts.events) {
        if (this.destroyed) return
        if (!this.push(`data: ${JSON.stringify(event)}\n\n`)) await this.#room()
      }
      this.#isOver = true
      if (!this.destroyed) this.push(null)
    } catch {
      this.destroy()
    }
  }

  /** Waits until the client has read, and drops a client that does not read in time. */
  async #room(): Promise<void> {
    if (this.destroyed) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const read = new AbortController()
    this.#makeRoom = () => {
      this.#makeRoom = undefined
      read.abort()
      resolve()
    }
    await Promise.race([promise, this.#parts.timers.pause(STALL_MS, read.signal)])
    if (this.#makeRoom !== undefined) this.destroy()
  }

  async #ping(): Promise<void> {
    const { timers, leaving } = this.#parts
    for (;;) {
      await timers.pause(PING_MS, leaving.signal)
      if (this.destroyed || this.#isOver || leaving.signal.aborted) return
      if (this.#makeRoom === undefined) this.push(PING)
    }
  }
}
