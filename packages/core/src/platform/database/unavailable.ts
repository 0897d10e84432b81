import { Problem } from '../../kernel/problem.ts'

// Classes and codes of PostgreSQL for a temporary failure: connection trouble (08), too many connections and
// no resources (53), shutting down or starting (57P), timeouts of locks (55P03), statements (57014) and idle
// transactions (25P03), a statement ended to resolve a deadlock (40P01), a primary that became a standby
// (25006).
const SQL_STATES = /^(?:08|53|57P0[1-5]|55P03$|57014$|25P03$|40P01$|25006$)/
// In the class of connection trouble, but temporary only if it ends the connection, as poolers do with it.
// Otherwise PostgreSQL cannot read a message, such as a statement with a NUL in it, and never will.
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
 * Faults that an operator has to correct, by the code or message of the driver: possible without a restart.
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
  [
    /^unsupported startup parameter/,
    'the pooler refuses a parameter of the service: name it in ignore_startup_parameters (docs/deployment.md)',
  ],
]
const ABSENT = 'the database cannot be reached or is too busy'

/**
 * Returns `error`, or a `Problem` `unavailable` with it as cause if the database cannot be used right now.
 */
export function translated(error: unknown): unknown {
  if (typeof error !== 'object' || error === null || error instanceof Problem) return error
  // By its fields instead of its class: an embedder may run in a context with another `Error` than the
  // driver's.
  const { code, message, severity } = error as { code?: unknown; message?: unknown; severity?: unknown }
  const text = typeof code === 'string' ? code : ''
  if (text === PROTOCOL_VIOLATION && severity !== 'FATAL') return error
  const words = [text, String(message)]
  const toMend = TO_MEND.find(([said]) => words.some((each) => said.test(each)))?.[1]
  const isAbsent = SQL_STATES.test(text) || SYSTEM_CODES.has(text) || CLIENT_MESSAGES.test(String(message))
  if (toMend === undefined && !isAbsent) return error
  const detail = toMend ?? ABSENT
  return new Problem('unavailable', { detail, retryAfterSeconds: RETRY_SECONDS }, { cause: error })
}
