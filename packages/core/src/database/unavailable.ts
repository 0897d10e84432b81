import { Problem } from '../problem.ts'

// Classes and codes of PostgreSQL that say "not now": connection trouble (08), too many connections and out
// of resources (53), shutting down or starting (57P), timeouts of lock (55P03) and of statement (57014),
// ended to free others from a deadlock (40P01).
const SQL_STATES = /^(?:08|53|57P0[1-5]|55P03$|57014$|25P03$|40P01$)/
// Of connection trouble by its class, and none unless it ends the connection, as poolers end one with it:
// else a message could not be read, one with a NUL in the text of a statement for instance, and cannot
// however often it is sent.
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

/**
 * What an operator has to mend, by what the driver and the server say: it may be mended while the service
 * runs.
 */
const TO_MEND: readonly (readonly [said: RegExp, detail: string])[] = [
  [
    /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_)/,
    'the certificate of the database is not trusted: check sslrootcert and the host in DATABASE_URL',
  ],
  [
    /^ERR_SSL_/,
    'the database and this service do not agree on TLS: check sslcert and sslkey in DATABASE_URL',
  ],
  [/^28P01$/, 'the database refuses the password: check DATABASE_PASSWORD, or the one in DATABASE_URL'],
  [/^28/, 'the database refuses the user of DATABASE_URL, or the way they come'],
  [/does not support SSL/, 'the database offers no TLS, which DATABASE_URL asks for'],
]
const ABSENT = 'the database cannot be reached or is too busy'

/**
 * `error`, or a `Problem` `unavailable` around it when it says that the database cannot be used right now.
 */
export function translated(error: unknown): unknown {
  if (typeof error !== 'object' || error === null || error instanceof Problem) return error
  // By its fields, not its class: an embedder may run in a context whose `Error` is not the one of the
  // drivers.
  const { code, message, severity } = error as { code?: unknown; message?: unknown; severity?: unknown }
  const text = typeof code === 'string' ? code : ''
  if (text === PROTOCOL_VIOLATION && severity !== 'FATAL') return error
  const toMend = TO_MEND.find(([said]) => said.test(text || String(message)))?.[1]
  const isAbsent = SQL_STATES.test(text) || SYSTEM_CODES.has(text) || CLIENT_MESSAGES.test(String(message))
  if (toMend === undefined && !isAbsent) return error
  const detail = toMend ?? ABSENT
  return new Problem('unavailable', { detail, retryAfterSeconds: RETRY_SECONDS }, { cause: error })
}
