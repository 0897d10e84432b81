import type { Log, LogFields } from '@svc/core'

/** The level of a log line. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** One line that was logged. */
export interface RecordedLine {
  readonly level: LogLevel
  readonly fields: LogFields
  readonly message: string
}

/** A log that keeps its lines for a test to check. */
export class RecordingLog implements Log {
  readonly lines: RecordedLine[] = []

  debug(fields: LogFields, message: string): void {
    this.lines.push({ level: 'debug', fields, message })
  }

  info(fields: LogFields, message: string): void {
    this.lines.push({ level: 'info', fields, message })
  }

  warn(fields: LogFields, message: string): void {
    this.lines.push({ level: 'warn', fields, message })
  }

  error(fields: LogFields, message: string): void {
    this.lines.push({ level: 'error', fields, message })
  }

  /** Returns the messages of one level, or of all levels, in order. */
  messages(level?: LogLevel): readonly string[] {
    return this.lines
      .filter((line) => level === undefined || line.level === level)
      .map((line) => line.message)
  }

  /** Returns everything that was logged as one text, to test that it contains no secret. */
  text(): string {
    return JSON.stringify(this.lines, (_key, value: unknown) =>
      value instanceof Error ? `${value.stack}` : value,
    )
  }
}
