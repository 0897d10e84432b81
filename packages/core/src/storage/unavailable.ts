import { Problem } from '../problem.ts'

// Classes and codes of PostgreSQL that say "not now": connection trouble (08), too many connections and out of
// resources (53), shutting down or starting (57P), timeouts of lock (55P03) and of statement (57014), ended to free others
// from a deadlock (40P01).
const SQL_STATES = /^(?:08|53|57P0[1-5]|55P03$|57014$|25P03$|40P01$)/
// Of connection trouble by its class, and none unless it ends the connection, as poolers end one with it: else a message
// could not be read, one with a NUL in the text of a statement for instance, and cannot however often it is sent.
const PROTOCOL_VIOLATION = '08P01'
const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'ENOENT',
  'EHOSTUNREACH',
  'EMFILE',
  'ENFILE',
])
// "not queryable": the connection broke between its check-out and the query.
const CLIENT_MESSAGES =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|connection timeout|Query read timeout|is not queryable/i

const RETRY_SECONDS = 2

/** `error`, or a `Problem` `unavailable` around it when it says that the database cannot be used right now. */
export function translated(error: unknown): unknown {
  if (typeof error !== 'object' || error === null || error instanceof Problem) return error
  // By its fields, not its class: an embedder may run in a context whose `Error` is not the one of the drivers.
  const { code, message, severity } = error as { code?: unknown; message?: unknown; severity?: unknown }
  const text = typeof code === 'string' ? code : ''
  if (text === PROTOCOL_VIOLATION && severity !== 'FATAL') return error
  const absent = SQL_STATES.test(text) || SYSTEM_CODES.has(text) || CLIENT_MESSAGES.test(String(message))
  if (!absent) return error
  return new Problem(
    'unavailable',
    { detail: 'the database cannot be reached or is too busy', retryAfterSeconds: RETRY_SECONDS },
    { cause: error },
  )
}

/** Runs `work`, its errors translated. */
export async function reachable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translated(error)
  }
}
