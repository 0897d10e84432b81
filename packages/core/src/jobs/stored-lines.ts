import { ownTurn } from '../own-turn.ts'
import { lineRedactor } from '../redaction/redact-lines.ts'
import { cutLine, LONG_CHARS, type LogLine, MAX_LINE_CHARS } from './job-log.ts'

/**
 * Redacted before the cut, so that a cut never hides what tells a secret; what is looked at is bounded all
 * the same.
 */
const MAX_READ_CHARS = 2 * MAX_LINE_CHARS

/**
 * Lines as a log keeps them: without secrets, each cut to `MAX_LINE_CHARS`. The 8 MB of the largest request
 * take 40 ms and more.
 */
export async function storedLines(lines: readonly LogLine[]): Promise<LogLine[]> {
  const redacted = lineRedactor()
  const stored: LogLine[] = []
  let chars = 0
  for (const { ts, line } of lines) {
    const read = line.slice(0, MAX_READ_CHARS)
    stored.push({ ts, line: cutLine(redacted(read)) })
    chars += read.length
    if (chars < LONG_CHARS) continue
    chars = 0
    await ownTurn()
  }
  return stored
}
