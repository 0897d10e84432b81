import { type Log, type LogFields, redact } from '@svc/core'
import pino from 'pino'
import type { Io } from '../io.ts'
import { prettyLine } from './pretty-line.ts'
import { safeJson } from './terminal.ts'

/** pino's levels. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

/**
 * The log of a long-running command: JSON lines on stderr, one-liners on a terminal. Every text in a line's
 * fields passes the redactor, however deep it stands.
 */
export function openLog(io: Io, level: LogLevel): Log {
  const write = io.err.isTty
    ? (line: string) => io.err.write(prettyLine(line, !io.env.NO_COLOR))
    : (line: string) => io.err.write(safeJson(line))
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

/** Depth to which nested objects are written; deeper values are left out. */
const MAX_DEPTH = 8
const LEFT_OUT = '[too deep]'

const clean = (fields: LogFields): Record<string, unknown> => cleanFields(fields, 0)

// Names are redacted too: the names of a nested object may come from outside.
const cleanFields = (fields: object, depth: number): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [redact(name), cleanValue(value, depth + 1)]),
  )

function cleanValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_DEPTH) return LEFT_OUT
  if (value instanceof Error) return cleanError(value, depth)
  if (Array.isArray(value)) return value.map((each) => cleanValue(each, depth + 1))
  // Dates and their like say themselves what stands for them.
  const { toJSON } = value as { toJSON?: unknown }
  return typeof toJSON === 'function' ? cleanValue(toJSON.call(value), depth + 1) : cleanFields(value, depth)
}

const cleanError = ({ name, message, stack, cause }: Error, depth: number): LogFields => ({
  name,
  message: redact(message),
  ...(stack === undefined ? {} : { stack: redact(stack) }),
  ...(cause instanceof Error ? { cause: cleanValue(cause, depth + 1) } : {}),
})
