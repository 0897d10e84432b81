import type { WebSocket } from 'ws'
import { type Control, MAX_FRAME_BYTES, MAX_WINDOW_BYTES, parseControl, wholeOf } from './protocol.ts'

/** The word of the relay that both sides are there. */
export interface Ready {
  readonly idleSeconds: number
  readonly maxSeconds: number
}

/** How a connection to the relay ended. */
export interface PeerEnd {
  /** The word of `bye`; undefined if the relay said none. */
  readonly reason: string | undefined
  readonly code: number
}

/** A side's listener for its frames. */
export interface PeerListener {
  /** Bytes of the other side; `done` is called when they were consumed. */
  bytes(data: Buffer, done: () => void): void
  control(control: Control): void
  /** Everything has been sent: the source may go on. */
  drained(): void
}

/** The share of the window after which the other side is told that bytes were consumed. */
const ACK_SHARE = 1 / 8
const ACK_MS = 50

/** When a relay counts as gone, in milliseconds. */
export interface PeerTiming {
  /** Silence of the relay, which asks for a sign of life every 20 s, after which it counts as gone. */
  readonly deadMs: number
  readonly lookMs: number
}

const PEER_TIMING: PeerTiming = { deadMs: 60_000, lookMs: 10_000 }

/** One side's connection to the relay, with the credit of both directions. */
export class RelayPeer {
  /** Resolves when both sides are there; never if the connection ends before. */
  readonly ready: Promise<Ready>
  /** Resolves when the connection has ended. */
  readonly ended: Promise<PeerEnd>
  readonly #socket: WebSocket
  readonly #watch: NodeJS.Timeout
  #listener: PeerListener | undefined
  /** Frames that came before there was a listener, in their order. */
  #early: ((listener: PeerListener) => void)[] = []
  // Nothing may be sent before the relay is ready, which names the window.
  #window = 0
  #credit = 0
  #queue: Buffer[] = []
  #flushed: (() => void)[] = []
  #unacked = 0
  #acking: NodeJS.Timeout | undefined
  #heardMs = performance.now()
  #bye: string | undefined

  constructor(socket: WebSocket, { deadMs, lookMs }: PeerTiming = PEER_TIMING) {
    this.#socket = socket
    const ready = Promise.withResolvers<Ready>()
    const ended = Promise.withResolvers<PeerEnd>()
    this.ready = ready.promise
    this.ended = ended.promise
    socket.on('message', (data: Buffer, isBinary) => {
      this.#heardMs = performance.now()
      if (isBinary) this.#take(data)
      else this.#hear(parseControl(data.toString()), ready.resolve)
    })
    socket.on('ping', () => {
      this.#heardMs = performance.now()
    })
    socket.on('close', (code) => {
      clearInterval(this.#watch)
      clearTimeout(this.#acking)
      ended.resolve({ reason: this.#bye, code })
    })
    this.#watch = setInterval(() => {
      if (performance.now() - this.#heardMs > deadMs) socket.terminate()
    }, lookMs)
  }

  /** Names the listener; earlier frames are handed to it now. */
  listen(listener: PeerListener): void {
    this.#listener = listener
    for (const tell of this.#early.splice(0)) tell(listener)
  }

  /**
   * Sends bytes, as far as the other side's window allows; the rest waits. Returns whether all were sent:
   * if not, the source has to pause until `drained`. With `channel` each frame begins with that byte.
   */
  send(data: Buffer, channel?: number): boolean {
    for (const frame of framesOf(data, channel)) this.#queue.push(frame)
    this.#flush()
    return this.#queue.length === 0
  }

  /** Sends a control object. */
  control(control: Control): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(control))
  }

  /** Resolves when everything was sent, or the connection has ended. */
  async flushed(): Promise<void> {
    if (this.#queue.length === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#flushed.push(resolve)
    await Promise.race([promise, this.ended])
  }

  /** Ends the connection after all sent frames. */
  close(): void {
    this.#socket.close(1000)
  }

  /** Ends the connection now. */
  cut(): void {
    this.#socket.terminate()
  }

  // Frames go out whole: the window is larger than one, and a frame that does not fit waits for the next
  // credit.
  #flush(): void {
    let next = this.#queue[0]
    while (next !== undefined && next.length <= this.#credit) {
      this.#queue.shift()
      this.#credit -= next.length
      if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(next, { binary: true })
      next = this.#queue[0]
    }
    if (next === undefined) for (const resolve of this.#flushed.splice(0)) resolve()
  }

  #take(data: Buffer): void {
    const { length } = data
    this.#tell((listener) => listener.bytes(data, () => this.#consumed(length)))
  }

  // The other side's window bounds the bytes that may wait here.
  #tell(tell: (listener: PeerListener) => void): void {
    if (this.#listener === undefined) this.#early.push(tell)
    else tell(this.#listener)
  }

  #consumed(length: number): void {
    this.#unacked += length
    if (this.#unacked >= this.#window * ACK_SHARE) this.#ack()
    else this.#acking ??= setTimeout(() => this.#ack(), ACK_MS)
  }

  #ack(): void {
    clearTimeout(this.#acking)
    this.#acking = undefined
    if (this.#unacked > 0) this.control({ t: 'ack', n: this.#unacked })
    this.#unacked = 0
  }

  #hear(control: Control | undefined, ready: (ready: Ready) => void): void {
    if (control === undefined) return
    if (control.t === 'ready') {
      this.#window = wholeOf(control.window, MAX_FRAME_BYTES, MAX_WINDOW_BYTES) ?? MAX_FRAME_BYTES
      this.#credit = this.#window
      ready({ idleSeconds: secondsOf(control.idle_s), maxSeconds: secondsOf(control.max_s) })
    } else if (control.t === 'bye') this.#bye = typeof control.reason === 'string' ? control.reason : ''
    else if (control.t === 'ack') this.#acked(control.n)
    else this.#tell((listener) => listener.control(control))
  }

  #acked(given: unknown): void {
    const bytes = wholeOf(given, 1, this.#window)
    if (bytes === undefined) return
    const hadWaited = this.#queue.length > 0
    // More than was sent is no credit.
    this.#credit = Math.min(this.#window, this.#credit + bytes)
    this.#flush()
    if (hadWaited && this.#queue.length === 0) this.#listener?.drained()
  }
}

const secondsOf = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0)

function framesOf(data: Buffer, channel: number | undefined): Buffer[] {
  const most = channel === undefined ? MAX_FRAME_BYTES : MAX_FRAME_BYTES - 1
  const frames: Buffer[] = []
  for (let at = 0; at < data.length; at += most) {
    const part = data.subarray(at, at + most)
    frames.push(channel === undefined ? part : Buffer.concat([Buffer.of(channel), part]))
  }
  return frames
}
