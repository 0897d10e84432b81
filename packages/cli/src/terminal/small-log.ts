import type { Clock, Log, LogFields } from '@svc/core'
import { clean } from './clean-fields.ts'
import type { Io } from './io.ts'
import { lineWriter } from './line-writer.ts'
import type { LogLevel } from './log.ts'

const LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/**
 * The log of the host agent: the lines of `openLog` without pino, which loads worker threads. An agent writes
 * few lines, and its memory counts on every host.
 */
export function openSmallLog(io: Io, clock: Clock, lowest: LogLevel): Log {
  const write = lineWriter(io)
  const at = (level: LogLevel) => (fields: LogFields, msg: string) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(lowest)) return
    write(`${JSON.stringify({ level, time: clock.now().toISOString(), ...clean(fields), msg })}\n`)
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
