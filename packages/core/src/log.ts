/** Structured facts of one log line. Keys, tokens, bodies and addresses never stand here. */
export type LogFields = Readonly<Record<string, unknown>>

/**
 * Where the control plane writes: a constant message with fields. The shape is pino's, so a pino logger fits
 * as it is.
 */
export interface Log {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

const nothing = () => {}

/** Says nothing: the default of an embedded plane. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
