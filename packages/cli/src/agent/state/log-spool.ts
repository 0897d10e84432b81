import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'

/** One line of a job's output: `ts` in unix seconds. */
export interface SpoolLine {
  readonly ts: number
  readonly line: string
}

/** As much as the plane keeps of one job (docs/agents.md). */
const MAX_LINES = 200_000
const MAX_BYTES = 64 * 1024 * 1024
const CHUNK_BYTES = 64 * 1024
const NEWLINE = 0x0a

interface Position {
  readonly line: number
  readonly byte: number
}

const START: Position = { line: 0, byte: 0 }

/**
 * A job's output as a file of JSON lines in its work folder: memory stays small however long the plane is
 * away, and the last words of a job outlive the agent. Writing is synchronous, which holds back a handler
 * that writes faster than the disk.
 */
export class LogSpool {
  readonly #file: number
  readonly #maxLines: number
  #end: Position
  #cursor = START
  #closed = false

  /** Opens `path`, or goes on with its content; a half-written last line is cut off. */
  constructor(path: string, maxLines = MAX_LINES) {
    this.#file = openSync(path, 'a+', 0o600)
    this.#maxLines = maxLines
    this.#end = this.#walk(START, fstatSync(this.#file).size, () => true)
    ftruncateSync(this.#file, this.#end.byte)
  }

  /** Number of lines. */
  get count(): number {
    return this.#end.line
  }

  /** Number of bytes. */
  get bytes(): number {
    return this.#end.byte
  }

  /**
   * Adds a line; says whether it was kept. At the cap one line says that the rest is dropped. A full disk
   * drops lines and leaves the kept ones whole.
   */
  append(entry: SpoolLine): boolean {
    if (this.#closed || this.#end.line >= this.#maxLines || this.#end.byte >= MAX_BYTES) return false
    const last = this.#end.line === this.#maxLines - 1
    const kept = last
      ? { ts: entry.ts, line: '[agent] the log of this job is full; later lines are dropped' }
      : entry
    const bytes = Buffer.from(`${JSON.stringify(kept)}\n`)
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written)
    } catch {
      ftruncateSync(this.#file, this.#end.byte)
      return false
    }
    this.#end = { line: this.#end.line + 1, byte: this.#end.byte + bytes.length }
    return true
  }

  /**
   * The JSON texts of the lines from number `from` on: at most `maxLines`, and at most `maxBytes` unless the
   * first is longer.
   */
  read(from: number, maxLines: number, maxBytes: number): string[] {
    if (from < this.#cursor.line) this.#cursor = START
    const lines: string[] = []
    let bytes = 0
    this.#cursor = this.#walk(this.#cursor, this.#end.byte, (line, text) => {
      if (line < from) return true
      bytes += text.length
      if (lines.length === maxLines || (lines.length > 0 && bytes > maxBytes)) return false
      lines.push(text.toString())
      return true
    })
    return lines
  }

  /** Closes the file; later lines are dropped. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    closeSync(this.#file)
  }

  /**
   * Visits whole lines between `from` and byte `end` until `visit` says no; gives the place behind the last
   * one taken.
   */
  #walk(from: Position, end: number, visit: (line: number, text: Buffer) => boolean): Position {
    let position = from
    let rest = Buffer.alloc(0)
    while (position.byte + rest.length < end) {
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, end - position.byte - rest.length))
      const read = readSync(this.#file, chunk, 0, chunk.length, position.byte + rest.length)
      if (read === 0) break
      rest = Buffer.concat([rest, chunk.subarray(0, read)])
      for (let at = rest.indexOf(NEWLINE); at >= 0; at = rest.indexOf(NEWLINE)) {
        if (!visit(position.line, rest.subarray(0, at))) return position
        position = { line: position.line + 1, byte: position.byte + at + 1 }
        rest = rest.subarray(at + 1)
      }
    }
    return position
  }
}
