import type { Log, LogFields } from '@svc/core'
import pino from 'pino'
import { clean } from './clean-fields.ts'
import type { Io } from './io.ts'
import { lineWriter } from './line-writer.ts'

/** pino's levels. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

/**
 * The log of a long-running command: JSON lines on stderr, one-liners on a terminal. Every text in a line's
 * fields passes the redactor, however deep it stands.
 */
export function openLog(io: Io, level: LogLevel): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: object) => clean(fields as LogFields),
    },
  }
  return pino(options, { write: lineWriter(io) })
}
