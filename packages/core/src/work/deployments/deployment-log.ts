import type { LogLine, StoredLine } from '../jobs/job-log.ts'
import type { AttemptLines } from '../jobs/jobs-store.ts'

/** The most lines of a deployment's log in one answer. */
export const MAX_VIEW_LINES = 10_000

/** Part of a deployment's log, and the number of lines of the whole. */
export interface LogView {
  readonly logs: readonly LogLine[]
  readonly count: number
}

/** The whole log of a deployment at the time of the request. */
export interface WholeLog {
  readonly count: number
  /**
   * Lines in order, read on demand in pieces of some 256 Ki characters, each in its own turn of the event
   * loop.
   */
  readonly pieces: AsyncIterable<readonly LogLine[]>
}

const systemLine = (attempt: number, ts: number): LogLine => ({ ts, line: `[svc] attempt ${attempt}` })

/**
 * Returns the number of lines of the whole view: the stored lines, and a system line before the first line of
 * each attempt but the first. The line that says where a job comes from belongs to no attempt.
 */
export const viewLength = (attempts: readonly AttemptLines[]): number =>
  attempts.reduce((sum, { lines }) => sum + lines, 0) +
  Math.max(0, attempts.filter(({ attempt }) => attempt > 0).length - 1)

/** Whether a line of another attempt than the one before it gets a system line. */
const begins = (before: number | undefined, attempt: number): boolean =>
  before !== undefined && before > 0 && before !== attempt

/** Position in the view after a number of its lines. */
export interface ViewPlace {
  /** Number of stored lines to skip. */
  readonly stored: number
  /**
   * Attempt of the last line before the position. If the next line has another attempt, a system line comes
   * first.
   */
  readonly before: number | undefined
}

/** Returns the position in the stored lines after the first `after` lines of the view. */
export function locate(attempts: readonly AttemptLines[], after: number): ViewPlace {
  let left = after
  let stored = 0
  let before: number | undefined
  for (const { attempt, lines } of attempts) {
    if (left === 0) break
    if (begins(before, attempt)) left -= 1
    before = attempt
    const passed = Math.min(left, lines)
    stored += passed
    left -= passed
  }
  return { stored, before }
}

/**
 * Returns `lines` with a system line before each change of the attempt; `before` is the attempt of the line
 * before them.
 */
export function withSystemLines(lines: readonly StoredLine[], before: number | undefined): LogLine[] {
  let previous = before
  return lines.flatMap(({ attempt, ts, line }) => {
    const isFirst = begins(previous, attempt)
    previous = attempt
    return isFirst ? [systemLine(attempt, ts), { ts, line }] : [{ ts, line }]
  })
}
