import type { Io } from './io.ts'
import { prettyLine } from './pretty-line.ts'
import { safeJson } from './terminal.ts'

/** Returns the way of JSON log lines to stderr: as they are, and as one-liners for people on a terminal. */
export const lineWriter = (io: Io): ((line: string) => void) =>
  io.err.isTty
    ? (line) => io.err.write(prettyLine(line, !io.env.NO_COLOR))
    : (line) => io.err.write(safeJson(line))
