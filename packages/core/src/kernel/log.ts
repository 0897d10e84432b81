/** Structured facts of one log line. They never contain keys, tokens, bodies or addresses. */
export type LogFields = Readonly<Record<string, unknown>>

/**
 * The log of the control plane: constant messages with fields. The shape is pino's, so a pino logger fits
 * unchanged.
 */
export interface Log {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

const nothing = () => {}

/** A log that discards everything: the default of an embedded plane. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
