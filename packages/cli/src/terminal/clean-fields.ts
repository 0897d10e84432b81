import type { LogFields } from '@svc/core'
import { redact } from '@svc/core/client'

/** Depth of nested objects that is written; deeper values are left out. */
const MAX_DEPTH = 8
const LEFT_OUT = '[too deep]'

/** Returns the fields of a log line with every text redacted, however deep it stands. */
export const clean = (fields: LogFields): Record<string, unknown> => cleanFields(fields, 0)

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
  // Dates and their like give their own plain form.
  const { toJSON } = value as { toJSON?: unknown }
  return typeof toJSON === 'function' ? cleanValue(toJSON.call(value), depth + 1) : cleanFields(value, depth)
}

const cleanError = ({ name, message, stack, cause }: Error, depth: number): LogFields => ({
  name,
  message: redact(message),
  ...(stack === undefined ? {} : { stack: redact(stack) }),
  ...(cause instanceof Error ? { cause: cleanValue(cause, depth + 1) } : {}),
})
