import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { formerFile } from './output-log.ts'

/** The line in the place of those that were written faster than they were read. */
export const MISSED = '[svc] lines may be missing here: they were written faster than they were read'

const PIECE_BYTES = 65_536

/** A file that is being read. The open descriptor keeps its number from being given to another file. */
interface Reading {
  readonly descriptor: number
  readonly id: string
}

const idOf = ({ dev, ino }: { readonly dev: number; readonly ino: number }): string => `${dev} ${ino}`

function opened(path: string): Reading | undefined {
  try {
    const descriptor = openSync(path, 'r')
    return { descriptor, id: idOf(fstatSync(descriptor)) }
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

const isAbsent = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT'

/**
 * Reads the kept output of an application, oldest first, and on as it is written, whether or not somebody
 * writes. A file that became the former one is read to its end before the next one begins.
 */
export class KeptOutput implements Disposable {
  readonly #path: string
  readonly #piece = Buffer.alloc(PIECE_BYTES)
  /** The file that is read now, and those that follow it. */
  #files: Reading[] = []
  #decoder = new StringDecoder('utf8')
  #rest = ''

  constructor(path: string) {
    this.#path = path
  }

  /** The lines that were written since the last call. */
  *lines(): Generator<string> {
    do {
      yield* this.#toEnd()
      if (this.#files.length < 2 && this.#isPresent(this.#files[0])) return
      // Lines that were written between that end and the turn.
      yield* this.#toEnd()
    } while (yield* this.#next())
  }

  [Symbol.dispose](): void {
    for (const { descriptor } of this.#files.splice(0)) closeSync(descriptor)
  }

  *#toEnd(): Generator<string> {
    const [file] = this.#files
    if (file === undefined) return
    for (;;) {
      const count = readSync(file.descriptor, this.#piece)
      if (count === 0) return
      const lines = `${this.#rest}${this.#decoder.write(this.#piece.subarray(0, count))}`.split('\n')
      this.#rest = lines.pop() ?? ''
      yield* lines
    }
  }

  /** Whether a file has its name still, or nobody has written another one yet. */
  #isPresent(file: Reading | undefined): boolean {
    const present = statSync(this.#path, { throwIfNoEntry: false })
    return present === undefined || idOf(present) === file?.id
  }

  /** Goes on to the next file. Returns false when there is none yet. */
  *#next(): Generator<string, boolean> {
    const [former, ...queued] = this.#files
    const files = queued.length > 0 ? queued : this.#present()
    if (files.length === 0) return false
    const rest = `${this.#rest}${this.#decoder.end()}`
    this.#rest = ''
    if (rest !== '') yield rest
    if (queued.length === 0 && former !== undefined && files.length > 1) {
      if (files[0]?.id === former.id) this.#close(files.shift())
      // Others may have come and gone since.
      else yield MISSED
    }
    this.#files = files
    this.#close(former)
    return true
  }

  /** The former file, if there is one, and the present one, as they are at one moment. */
  #present(): Reading[] {
    for (;;) {
      const present = opened(this.#path)
      if (present === undefined) return []
      const former = opened(formerFile(this.#path))
      const files = former === undefined ? [present] : [former, present]
      if (this.#isPresent(present)) return files
      for (const file of files) this.#close(file)
    }
  }

  #close(file: Reading | undefined): void {
    if (file !== undefined) closeSync(file.descriptor)
  }
}
