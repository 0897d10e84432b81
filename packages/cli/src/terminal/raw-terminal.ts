import type { Readable, Writable } from 'node:stream'
import type { Undo } from './io.ts'

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

/** The part of a process that a terminal is made of. */
type TerminalProcess = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'on' | 'off'>

/** Returns the streams of a process. */
export function rawTerminal(process: TerminalProcess): RawTerminal {
  const { stdin, stdout, stderr } = process
  return {
    input: stdin,
    out: stdout,
    err: stderr,
    isTty: stdin.isTTY === true && stdout.isTTY === true,
    // A terminal that nobody has measured says 0.
    size: () =>
      stdout.isTTY && stdout.columns > 0 && stdout.rows > 0
        ? { cols: stdout.columns, rows: stdout.rows }
        : undefined,
    raw: () => {
      if (!stdin.isTTY) return () => {}
      const restore = () => stdin.setRawMode(false)
      stdin.setRawMode(true)
      // However the program ends, the terminal is as before.
      process.on('exit', restore)
      return () => {
        restore()
        process.off('exit', restore)
      }
    },
    onResize: (listener) => {
      stdout.on('resize', listener)
      return () => stdout.off('resize', listener)
    },
  }
}
