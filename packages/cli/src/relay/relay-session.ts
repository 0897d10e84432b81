import type { AccessMode, Log } from '@svc/core'
import type { AdmittedSession, RelayEnd, RelayLedger, RelayMetrics, RelayRole } from '@svc/core/adapters'
import type { WebSocket } from 'ws'
import { CLOSE, MAX_CONTROL_BYTES, parseControl, wholeOf, windowOf } from './protocol.ts'
import type { Recording } from './recording.ts'
import { CLOSE_CODES, wordOf } from './relay-ends.ts'

/** Intervals of a relay, in milliseconds. */
export interface RelayTiming {
  /** How often each side is asked for a sign of life. */
  readonly pingMs: number
  /** Silence after which a side counts as gone. */
  readonly deadMs: number
  /** How often the sessions are compared with the ledger. */
  readonly lookMs: number
  /** How long a side may take to answer the closing of its connection, from the last that it said. */
  readonly goodbyeMs: number
}

/** Timing of a relay: below the minute after which common proxies end silent connections. */
export const RELAY_TIMING: RelayTiming = {
  pingMs: 20_000,
  deadMs: 45_000,
  lookMs: 2000,
  goodbyeMs: 3000,
}

/** The parts of one session at the relay. */
export interface RelaySessionParts {
  readonly sid: string
  readonly mode: AccessMode
  readonly screen: AdmittedSession
  readonly pairMs: number
  readonly idleMs: number
  readonly maxMs: number
  readonly timing: RelayTiming
  readonly ledger: RelayLedger
  readonly metrics: RelayMetrics
  readonly log: Log
  /** Begins the recording when the session begins, if one is kept. */
  readonly record: ((screen: AdmittedSession) => Recording) | undefined
  readonly onOver: () => void
}

/** A source stops being read while more than this waits for the other side, and goes on below the second. */
const HIGH_BYTES = 1024 * 1024
const LOW_BYTES = 256 * 1024
/** A side that lets this much pile up is cut: the other one ignores the window. */
const MOST_BYTES = 8 * 1024 * 1024
/** Ends of a program: a side that still reads its output gets the rest, and the exit status. */
const FINISHED: ReadonlySet<RelayEnd> = new Set(['done', 'error'])

interface Side {
  readonly role: RelayRole
  readonly socket: WebSocket
  heardMs: number
  isPaused: boolean
}

/**
 * One session at the relay: two connections, whose frames it forwards. It reads no bytes, and of control
 * objects only the facts for a session's row and recording.
 */
export class RelaySession {
  readonly #parts: RelaySessionParts
  readonly #sides = new Map<RelayRole, Side>()
  readonly #begunMs = performance.now()
  readonly #timers: NodeJS.Timeout[] = []
  #isReady = false
  #isOver = false
  #typedMs = 0
  #bytesIn = 0
  #bytesOut = 0
  #exitCode: number | undefined
  #hasExited = false
  #hasRefused = false
  #recording: Recording | undefined

  constructor(parts: RelaySessionParts) {
    this.#parts = parts
    parts.metrics.begun(parts.mode)
    // The note that both are there may take its time: a side that has come by then has a peer.
    this.#after(parts.pairMs, () => this.#sides.size === 2 || this.end('no_peer'))
  }

  /** Takes the connection of one side. */
  join(role: RelayRole, socket: WebSocket): void {
    const side: Side = { role, socket, heardMs: performance.now(), isPaused: false }
    if (this.#isOver) {
      socket.terminate()
      return
    }
    this.#sides.set(role, side)
    socket.on('message', (data: Buffer, isBinary) => this.#hear(side, data, isBinary))
    socket.on('pong', () => {
      side.heardMs = performance.now()
    })
    socket.on('error', (error: Error & { code?: string }) => {
      const isLong = error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'
      this.end(isLong ? 'too_large' : 'bad_frame')
    })
    socket.on('close', (code) => this.#left(role, code))
    this.#every(this.#parts.timing.pingMs, () => this.#ping(side))
    if (this.#sides.size === 2) void this.#begin()
  }

  /** Ends the session: both sides are told why, and the ledger gets its figures. */
  end(reason: RelayEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    for (const timer of this.#timers) clearTimeout(timer)
    for (const side of this.#sides.values()) {
      const { socket } = side
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ t: 'bye', reason: wordOf(reason) }))
      socket.close(CLOSE_CODES[reason])
      this.#partFrom(side, FINISHED.has(reason))
    }
    void this.#recording?.end()
    void this.#note(reason)
  }

  async #begin(): Promise<void> {
    const { sid, mode, ledger, metrics, idleMs, maxMs, screen, record, log } = this.#parts
    const isGood = await ledger.connected(sid).catch((err: unknown) => {
      log.error({ err, session: sid }, 'a session could not be noted as connected')
      return false
    })
    if (this.#isOver) return
    if (!isGood) {
      this.end('revoked')
      return
    }
    this.#isReady = true
    this.#typedMs = performance.now()
    metrics.paired((performance.now() - this.#begunMs) / 1000)
    this.#recording = record?.(screen)
    const [idle_s, max_s] = [idleMs / 1000, maxMs / 1000]
    const ready = JSON.stringify({ t: 'ready', sid, window: windowOf(mode), idle_s, max_s })
    for (const { socket } of this.#sides.values()) socket.send(ready)
    this.#after(maxMs, () => this.end('max'))
    this.#watchIdle(idleMs)
    log.info({ session: sid, mode }, 'a session has begun')
  }

  #hear(side: Side, data: Buffer, isBinary: boolean): void {
    side.heardMs = performance.now()
    if (this.#isOver) return
    if (isBinary) this.#hearBytes(side, data)
    else this.#hearControl(side, data)
  }

  #hearBytes(side: Side, data: Buffer): void {
    if (!this.#isReady) {
      this.end('bad_frame')
      return
    }
    if (side.role === 'operator') {
      this.#bytesIn += data.length
      this.#typedMs = performance.now()
    } else {
      this.#bytesOut += data.length
      this.#recording?.output(data)
    }
    this.#forward(side, data, true)
  }

  #hearControl(side: Side, data: Buffer): void {
    const isLong = data.length > MAX_CONTROL_BYTES
    const control = isLong ? undefined : parseControl(data.toString())
    if (control === undefined) {
      this.end(isLong ? 'too_large' : 'bad_frame')
      return
    }
    // The relay's own words: nobody else may say them.
    if (!this.#isReady || control.t === 'ready' || control.t === 'bye') return
    if (side.role === 'agent' && control.t === 'exit') {
      this.#hasExited = true
      this.#exitCode = wholeOf(control.code, 0, 255)
    }
    if (side.role === 'agent' && control.t === 'error') this.#hasRefused = true
    if (side.role === 'operator' && control.t === 'resize')
      this.#recording?.resize(control.cols, control.rows)
    this.#forward(side, data, false)
  }

  #forward(from: Side, data: Buffer, binary: boolean): void {
    const to = this.#sides.get(from.role === 'agent' ? 'operator' : 'agent')
    if (to === undefined) return
    to.socket.send(data, { binary }, () => {
      if (!from.isPaused || to.socket.bufferedAmount >= LOW_BYTES) return
      from.isPaused = false
      from.socket.resume()
    })
    const waiting = to.socket.bufferedAmount
    if (waiting > MOST_BYTES) this.end('too_large')
    else if (waiting > HIGH_BYTES && !from.isPaused) {
      from.isPaused = true
      from.socket.pause()
    }
  }

  /**
   * Cuts a side that does not answer the closing. One that acknowledges bytes is still reading: over a slow
   * line the last of them take longer. `ws` itself cuts it after half a minute.
   */
  #partFrom(side: Side, isPatient: boolean): void {
    const { goodbyeMs } = this.#parts.timing
    const { socket } = side
    const look = setInterval(() => {
      if (isPatient && performance.now() - side.heardMs < goodbyeMs) return
      clearInterval(look)
      socket.terminate()
    }, goodbyeMs).unref()
    socket.once('close', () => clearInterval(look))
  }

  #left(role: RelayRole, code: number): void {
    // After the program has exited either side may close first.
    if (this.#hasExited) this.end('done')
    else if (this.#hasRefused) this.end('error')
    else if (role === 'agent') this.end('peer_gone')
    else this.end(code === CLOSE.done ? 'closed' : 'operator_gone')
  }

  #ping(side: Side): void {
    // A source that is not read cannot answer; the side that it waits for is watched instead.
    if (side.isPaused) side.heardMs = performance.now()
    if (performance.now() - side.heardMs > this.#parts.timing.deadMs) {
      side.socket.terminate()
      this.#left(side.role, CLOSE.peerGone)
    } else if (side.socket.readyState === side.socket.OPEN) side.socket.ping()
  }

  #watchIdle(idleMs: number): void {
    const left = this.#typedMs + idleMs - performance.now()
    if (left <= 0) this.end('idle')
    else this.#after(left, () => this.#watchIdle(idleMs))
  }

  async #note(reason: RelayEnd): Promise<void> {
    const { sid, mode, ledger, metrics, log, onOver } = this.#parts
    const figures = { exitCode: this.#exitCode, bytesIn: this.#bytesIn, bytesOut: this.#bytesOut }
    metrics.ended(mode, reason, this.#bytesIn, this.#bytesOut)
    const seconds = Math.round((performance.now() - this.#begunMs) / 1000)
    log.info({ session: sid, mode, reason, seconds, ...figures }, 'a session has ended')
    try {
      await ledger.end(sid, { reason, ...figures })
    } catch (err) {
      log.error({ err, session: sid }, 'the end of a session could not be noted')
    } finally {
      onOver()
    }
  }

  #after(ms: number, work: () => unknown): void {
    // A timer of more than 24 days would fire at once.
    this.#timers.push(setTimeout(work, Math.min(ms, 2 ** 31 - 1)))
  }

  #every(ms: number, work: () => void): void {
    this.#timers.push(setInterval(work, ms))
  }
}
