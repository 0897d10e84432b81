import { type Log, type LogFields, redact } from '@svc/core'
import pino from 'pino'
import type { Io } from './io.ts'
import { prettyLine } from './pretty-line.ts'

/** pino's levels. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

/**
 * The log of a long-running command: JSON lines on stderr, one-liners on a terminal. Every text in a line's fields
 * passes the redactor.
 */
export function openLog(io: Io, level: LogLevel): Log {
  const write = io.err.isTty
    ? (line: string) => io.err.write(prettyLine(line, !io.env.NO_COLOR))
    : (line: string) => io.err.write(line)
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: object) => clean(fields as LogFields),
    },
  }
  return pino(options, { write })
}

const clean = (fields: LogFields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cleanValue(value)]))

function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return redact(value)
  if (value instanceof Error) return cleanError(value)
  if (Array.isArray(value)) return value.map(cleanValue)
  return value
}

const cleanError = ({ name, message, stack, cause }: Error): LogFields => ({
  name,
  message: redact(message),
  ...(stack === undefined ? {} : { stack: redact(stack) }),
  ...(cause instanceof Error ? { cause: cleanError(cause) } : {}),
})
