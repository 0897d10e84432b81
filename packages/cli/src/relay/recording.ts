import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import type { AccessMode, Clock, Log } from '@svc/core'
import type { AdmittedSession } from '@svc/core/adapters'
import { hasChannels, wholeOf } from './protocol.ts'

/** Longest recording of one session, unless its parts say otherwise. */
const MAX_BYTES = 50 * 1024 * 1024
/** Output that may wait for the disk; beyond it the recording ends, and the session goes on. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024

/** The place and the subject of a recording. */
export interface RecordingParts {
  readonly folder: string
  readonly sid: string
  readonly mode: AccessMode
  readonly screen: AdmittedSession
  readonly clock: Clock
  readonly log: Log
  /** Bytes of the file at most. */
  readonly mostBytes?: number
  /** Called once when the recording cannot be written to its end. */
  readonly onFailed: () => void
}

/** A recording of the output of a host, in the format of asciicast v2. Typed keys are never in it. */
export class Recording {
  readonly #parts: RecordingParts
  readonly #file: WriteStream
  readonly #decoder = new StringDecoder('utf8')
  readonly #beganMs = performance.now()
  #written = 0
  #isClosed = false

  constructor(parts: RecordingParts) {
    const { folder, sid, screen, clock } = parts
    this.#parts = parts
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#file = createWriteStream(join(folder, `${sid}.cast`), { flags: 'wx', mode: 0o600 })
    this.#file.on('error', (error: NodeJS.ErrnoException) => this.#fail(error.code))
    const timestamp = Math.floor(clock.now().getTime() / 1000)
    const { cols: width, rows: height, term: TERM } = screen
    this.#write({ version: 2, width, height, timestamp, env: { TERM } })
  }

  /** Records a frame of the host. */
  output(data: Buffer): void {
    const text = this.#decoder.write(hasChannels(this.#parts.mode) ? data.subarray(1) : data)
    if (text !== '') this.#write([this.#seconds(), 'o', text])
  }

  /** Records that the terminal has another size. */
  resize(cols: unknown, rows: unknown): void {
    const [width, height] = [wholeOf(cols, 2, 500), wholeOf(rows, 2, 200)]
    if (width !== undefined && height !== undefined) this.#write([this.#seconds(), 'r', `${width}x${height}`])
  }

  /** Completes the file. */
  end(): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    this.#isClosed = true
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#file.once('close', resolve)
    this.#file.end()
    return promise
  }

  #seconds(): number {
    return Math.round(performance.now() - this.#beganMs) / 1000
  }

  #write(entry: unknown): void {
    if (this.#isClosed) return
    const line = `${JSON.stringify(entry)}\n`
    this.#written += Buffer.byteLength(line)
    if (this.#written > (this.#parts.mostBytes ?? MAX_BYTES)) {
      this.#parts.log.warn({ session: this.#parts.sid }, 'a recording is as long as it may be: it ends here')
      void this.end()
    } else if (this.#file.writableLength > MAX_WAITING_BYTES) this.#fail('slow')
    else this.#file.write(line)
  }

  #fail(code: string | undefined): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#file.destroy()
    const { sid, log, onFailed } = this.#parts
    log.error({ session: sid, code }, 'a recording cannot be written: the session goes on without it')
    onFailed()
  }
}
