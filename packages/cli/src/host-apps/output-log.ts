import { appendFileSync, closeSync, fstatSync, openSync, renameSync } from 'node:fs'

/** Bytes of a file before the next one begins. Two are kept, so that an application never fills the disk. */
const FILE_BYTES = 5_000_000

/** The file of the output before the present one. */
export const formerFile = (path: string): string => `${path}.1`

/**
 * The output of an application, in two files of limited size. Writing waits for the disk: a program that
 * writes faster is slowed down instead of filling the memory.
 */
export class OutputLog implements Disposable {
  readonly #path: string
  readonly #limit: number
  #file: number
  #bytes: number

  constructor(path: string, limit = FILE_BYTES) {
    this.#path = path
    this.#limit = limit
    this.#file = openSync(path, 'a', 0o600)
    this.#bytes = fstatSync(this.#file).size
  }

  write(line: string): void {
    const text = `${line}\n`
    const bytes = Buffer.byteLength(text)
    if (this.#bytes + bytes > this.#limit) this.#turn()
    this.#bytes += bytes
    try {
      appendFileSync(this.#file, text)
    } catch {
      // A full disk ends no application.
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }

  // The new file is there before the old one is closed: readers take its being there as the old one's end.
  #turn(): void {
    try {
      renameSync(this.#path, formerFile(this.#path))
    } catch {
      // It was taken away, or the last turn went half way.
    }
    try {
      const next = openSync(this.#path, 'a', 0o600)
      closeSync(this.#file)
      this.#file = next
      this.#bytes = 0
    } catch {
      // The next line tries again.
    }
  }
}
