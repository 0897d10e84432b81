import type { Log, LogFields } from '@svc/core'

/** How urgent a line is. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** One line that was logged. */
export interface RecordedLine {
  readonly level: LogLevel
  readonly fields: LogFields
  readonly message: string
}

/** Keeps what is logged, for a test to look at. */
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

  /** Messages of one level, or of all, in order. */
  messages(level?: LogLevel): readonly string[] {
    return this.lines
      .filter((line) => level === undefined || line.level === level)
      .map((line) => line.message)
  }

  /** Everything that was written, as one text: for the test that a secret is nowhere in it. */
  text(): string {
    return JSON.stringify(this.lines, (_key, value: unknown) =>
      value instanceof Error ? `${value.stack}` : value,
    )
  }
}
