import type { LogLine, StoredLine } from '../jobs/job-log.ts'
import type { AttemptLines } from '../jobs/jobs-store.ts'

/** Most lines of a deployment's log in one answer. */
export const MAX_VIEW_LINES = 10_000

/** A stretch of a deployment's log, and how many lines the whole of it has. */
export interface LogView {
  readonly logs: readonly LogLine[]
  readonly count: number
}

/** The whole of a deployment's log as it was when it was asked for. */
export interface WholeLog {
  readonly count: number
  /**
   * Its lines in order, read as they are taken: some 256 Ki characters at once, each in a turn of its own.
   */
  readonly pieces: AsyncIterable<readonly LogLine[]>
}

const systemLine = (attempt: number, ts: number): LogLine => ({ ts, line: `[svc] attempt ${attempt}` })

/**
 * Lines of the whole view: those stored, and a system line before every attempt but the first that wrote any.
 */
export const viewLength = (attempts: readonly AttemptLines[]): number =>
  attempts.reduce((sum, { lines }) => sum + lines, 0) + Math.max(0, attempts.length - 1)

/** Where the view goes on after `after` of its lines. */
export interface ViewPlace {
  /** Stored lines that are passed over. */
  readonly stored: number
  /** Attempt of the view's last line before it: a system line says that itself when another one follows. */
  readonly before: number | undefined
}

/** The place in the stored lines of the place `after` in the view. */
export function locate(attempts: readonly AttemptLines[], after: number): ViewPlace {
  let left = after
  let stored = 0
  let before: number | undefined
  for (const { attempt, lines } of attempts) {
    if (left === 0) break
    if (before !== undefined) left -= 1
    before = attempt
    const passed = Math.min(left, lines)
    stored += passed
    left -= passed
  }
  return { stored, before }
}

/** `lines` with a system line wherever another attempt begins than that of the line before. */
export function withSystemLines(lines: readonly StoredLine[], before: number | undefined): LogLine[] {
  let previous = before
  return lines.flatMap(({ attempt, ts, line }) => {
    const begins = previous !== undefined && previous !== attempt
    previous = attempt
    return begins ? [systemLine(attempt, ts), { ts, line }] : [{ ts, line }]
  })
}
