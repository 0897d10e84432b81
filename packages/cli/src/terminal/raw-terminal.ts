import type { Readable, Writable } from 'node:stream'
import type { Undo } from '../io.ts'

/** The streams of a process for bytes that are not this program's own words: a terminal, or pipes. */
export interface RawTerminal {
  readonly input: Readable
  readonly out: Writable
  readonly err: Writable
  /** Whether a person sits at both ends. */
  readonly isTty: boolean
  /** Size of the terminal; undefined without one. */
  size(): { readonly cols: number; readonly rows: number } | undefined
  /** Hands every key over as it is typed, until undone or the program ends. */
  raw(): Undo
  onResize(listener: () => void): Undo
}
