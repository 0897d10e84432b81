import { lineRedactor } from '../../kernel/redaction/redact-lines.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import { cutLine, LONG_CHARS, type LogLine, MAX_LINE_CHARS } from './job-log.ts'

/**
 * Most characters of a line that are redacted. Lines are redacted before the cut, which could otherwise hide
 * the mark of a secret.
 */
const MAX_READ_CHARS = 2 * MAX_LINE_CHARS

/**
 * Lines as a log stores them: without secrets, each cut to `MAX_LINE_CHARS`. The largest request, 8 MB, takes
 * 40 ms or more.
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
    await yieldToEventLoop()
  }
  return stored
}
