import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'

/** Most entries a log request may carry (spec, Limits). */
export const MAX_REQUEST_LINES = 10_000
/** Most lines that one request stores (spec, Limits). */
export const MAX_ACCEPTED_LINES = 1000
/** Longest stored line, in UTF-16 code units (spec, Limits). */
export const MAX_LINE_CHARS = 8192
/** Most lines that one job stores; then one marker line. */
export const MAX_JOB_LINES = 200_000
/** Most characters that one job stores; then one marker line. */
export const MAX_JOB_CHARS = 64 * 1024 * 1024

/** One line of output: `ts` in unix seconds, as the host counted them. */
export interface LogLine {
  readonly ts: number
  readonly line: string
}

/** A stored line with the attempt it belongs to and its place in that attempt. */
export interface StoredLine extends LogLine {
  readonly attempt: number
  readonly offset: number
}

/**
 * Most characters of a log in one answer: 10,000 lines of 100. So many of the longest lines would be 82 MB of
 * JSON.
 */
export const MAX_VIEW_CHARS = 1024 * 1024

/**
 * Lines with more characters than this are worked on in event-loop turns of their own: they take 1 ms or
 * more.
 */
export const LONG_CHARS = 256 * 1024

/** The room of one answer: so many lines and, beyond the first line, so many UTF-16 code units. */
export class LogRoom {
  #lines: number
  #chars: number
  #isEmpty = true

  constructor(lines: number, chars: number) {
    this.#lines = lines
    this.#chars = chars
  }

  /** Whether no further line fits, or one did not fit before. */
  get isFull(): boolean {
    return this.#lines <= 0
  }

  /** Takes the room of a line; false if it does not fit, and for every line after that. */
  takes({ line }: LogLine): boolean {
    this.#chars -= line.length
    const fits = !this.isFull && (this.#isEmpty || this.#chars >= 0)
    this.#lines = fits ? this.#lines - 1 : 0
    this.#isEmpty = false
    return fits
  }
}

/** Whether an answer of at most `limit` lines and `MAX_VIEW_CHARS` may leave out lines for lack of room. */
export const mayHaveMore = (lines: readonly LogLine[], limit: number): boolean =>
  lines.length >= limit || charsOf(lines) + MAX_LINE_CHARS > MAX_VIEW_CHARS

/** Waits for a new event-loop turn before a long answer: a million characters take some 50 ms. */
export async function yieldIfLong(lines: readonly LogLine[]): Promise<void> {
  if (charsOf(lines) > LONG_CHARS) await yieldToEventLoop()
}

/**
 * The same lines in pieces, one for each event-loop turn. A piece ends with the line that reaches
 * `LONG_CHARS`.
 */
export function longPieces<Line extends LogLine>(lines: readonly Line[]): (readonly Line[])[] {
  const pieces: (readonly Line[])[] = []
  let [begin, chars] = [0, 0]
  for (const [index, { line }] of lines.entries()) {
    chars += line.length
    if (chars < LONG_CHARS && index < lines.length - 1) continue
    pieces.push(lines.slice(begin, index + 1))
    begin = index + 1
    chars = 0
  }
  return pieces
}

/** UTF-16 code units of the lines. */
export const charsOf = (lines: readonly LogLine[]): number =>
  lines.reduce((sum, { line }) => sum + line.length, 0)

/** Cuts to `MAX_LINE_CHARS` without splitting a surrogate pair. */
export function cutLine(line: string): string {
  if (line.length <= MAX_LINE_CHARS) return line
  const last = line.charCodeAt(MAX_LINE_CHARS - 1)
  return line.slice(0, last >= 0xd800 && last <= 0xdbff ? MAX_LINE_CHARS - 1 : MAX_LINE_CHARS)
}

/**
 * The end of an attempt's log: its next free offset, and the lines and characters that the whole job has
 * stored.
 */
export interface LogPosition {
  readonly next: number
  readonly jobLines: number
  readonly jobChars: number
}

/** The log of an attempt that has sent nothing yet. */
export const EMPTY_LOG: LogPosition = { next: 0, jobLines: 0, jobChars: 0 }

/** The lines of a request to store, and its answer. */
export interface LogPlacement {
  /** Lines to store from the old `next` on; empty when there is nothing new. */
  readonly store: readonly LogLine[]
  /** Lines taken, stored now or before (spec, `accepted`). */
  readonly accepted: number
  /** The end of the log afterwards; the host goes on at `next`. */
  readonly position: LogPosition
}

const MARKER = '[svc] the log of this job is full; later lines are not kept'

/** Whether the job's log has reached its cap. */
export const isFull = (position: LogPosition): boolean =>
  position.jobLines >= MAX_JOB_LINES || position.jobChars >= MAX_JOB_CHARS

/**
 * Places `lines` in a log that ends at `position`. With `offset`, lines stored before are skipped and a gap
 * stores nothing; without, lines are appended. Past the cap of the job, lines are accepted and dropped, after
 * one marker line: the log then ends with the request, since there is no line left to skip or miss.
 */
export function placeLines(
  position: LogPosition,
  lines: readonly LogLine[],
  offset: number = position.next,
): LogPlacement {
  const end = offset + lines.length
  if (isFull(position)) return { store: [], accepted: lines.length, position: { ...position, next: end } }
  if (offset > position.next) return { store: [], accepted: 0, position }
  const fresh = lines.slice(position.next - offset)
  if (fresh.length === 0) return { store: [], accepted: lines.length, position }
  return { accepted: lines.length, ...withinCap(position, fresh, end) }
}

function withinCap(position: LogPosition, lines: readonly LogLine[], next: number) {
  let chars = position.jobChars
  for (const [index, entry] of lines.entries()) {
    chars += entry.line.length
    if (position.jobLines + index + 1 < MAX_JOB_LINES && chars < MAX_JOB_CHARS) continue
    const store = [...lines.slice(0, index), { ts: entry.ts, line: MARKER }]
    const jobLines = position.jobLines + store.length
    return { store, position: { next, jobLines, jobChars: Math.max(chars, MAX_JOB_CHARS) } }
  }
  return { store: lines, position: { next, jobLines: position.jobLines + lines.length, jobChars: chars } }
}
