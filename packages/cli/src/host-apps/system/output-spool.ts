import { execFile } from 'node:child_process'
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { LineSplitter } from '../../agent/run/line-splitter.ts'

const LINE_CHARS = 8_192
const CHUNK_BYTES = 65_536
/** Bytes that are read at one look, so that a program that writes without end stops no other work. */
const LOOK_BYTES = 4_000_000
/** Bytes that have been read and are given back to the disk. */
const FREE_BYTES = 1_000_000
/** Bytes that wait unread at most: more is dropped, and said. */
const MAX_WAITING_BYTES = 64_000_000

/**
 * The output of an instance on its way to the log. systemd appends to a file, whoever reads it and whenever.
 * The part that was read is punched out of it, so that no line is lost and the disk never fills.
 */
export class OutputSpool implements Disposable {
  readonly #path: string
  readonly #splitter: LineSplitter
  readonly #onLine: (line: string) => void
  readonly #file: number
  readonly #bytes = Buffer.alloc(CHUNK_BYTES)
  #at: number
  #freed: number

  constructor(path: string, onLine: (line: string) => void) {
    this.#path = path
    this.#onLine = onLine
    this.#splitter = new LineSplitter(LINE_CHARS, { line: onLine, state: () => {} })
    this.#file = openSync(path, 'r+')
    this.#at = this.#remembered()
    this.#freed = this.#at
  }

  /** Reads what was written since the last look. */
  look(): void {
    const { size } = fstatSync(this.#file)
    if (size < this.#at) this.#at = 0
    if (size === this.#at) return
    this.#dropTooMuch(size)
    const end = Math.min(size, this.#at + LOOK_BYTES)
    while (this.#at < end) {
      const read = readSync(this.#file, this.#bytes, 0, Math.min(CHUNK_BYTES, end - this.#at), this.#at)
      if (read === 0) break
      this.#splitter.write(this.#bytes.subarray(0, read))
      this.#at += read
    }
    writeFileSync(this.#placeFile, String(this.#at), { mode: 0o600 })
    if (this.#at - this.#freed > FREE_BYTES) this.#free()
  }

  /** Reads the rest, its last line too. */
  [Symbol.dispose](): void {
    this.look()
    this.#splitter.end()
    closeSync(this.#file)
  }

  get #placeFile(): string {
    return `${this.#path}.read`
  }

  #remembered(): number {
    try {
      const at = Number(readFileSync(this.#placeFile, 'utf8'))
      return Number.isSafeInteger(at) && at >= 0 ? at : 0
    } catch {
      return 0
    }
  }

  #dropTooMuch(size: number): void {
    const waiting = size - this.#at
    if (waiting <= MAX_WAITING_BYTES) return
    this.#onLine(`[svc] ${waiting} bytes of output were dropped: it writes faster than this host reads`)
    this.#at = size
  }

  #free(): void {
    const [from, length] = [this.#freed, this.#at - this.#freed]
    this.#freed = this.#at
    const holes = ['--punch-hole', '--offset', String(from), '--length', String(length), this.#path]
    execFile('fallocate', holes, (error) => {
      if (error === null) return
      // A disk without holes: the file is emptied when all of it was read.
      try {
        if (fstatSync(this.#file).size !== this.#at) return
        ftruncateSync(this.#file, 0)
        this.#at = 0
        this.#freed = 0
      } catch {
        // The instance has ended, and its file is closed.
      }
    })
  }
}
