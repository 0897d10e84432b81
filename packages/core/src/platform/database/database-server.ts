import pg from 'pg'
import { type ConnectionOptions, parse } from 'pg-connection-string'
import { present } from '../../kernel/present.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Config } from '../config/config.ts'
import { FILE_SUFFIX, readSecretFile } from '../config/secret-file.ts'

/** A PostgreSQL server and who signs in there. */
export interface DatabaseServer {
  /**
   * `postgres://user@host:5432/database?sslmode=verify-full`. Certificates that it names are read for each
   * connection.
   */
  readonly url: string
  /** Goes before the password in `url`; a function is asked for each connection. */
  readonly password?: string | (() => Promise<string>)
  /**
   * The same database without a pooler that takes sessions away between transactions: for signals, locks and
   * migrations. Default: `url`.
   */
  readonly sessionUrl?: string
}

/** A server whose address may stand alone. */
export const serverOf = (server: string | DatabaseServer): DatabaseServer =>
  typeof server === 'string' ? { url: server } : server

/** The server that settings name; undefined when the database is embedded. */
export function databaseServer({
  database: { url, password, sessionUrl },
  files,
}: Pick<Config, 'database' | 'files'>): DatabaseServer | undefined {
  if (url === undefined) return undefined
  const path = files.DATABASE_PASSWORD
  const own = { url, ...present('sessionUrl', sessionUrl) }
  if (path !== undefined) return { ...own, password: () => passwordIn(path) }
  return { ...own, ...present('password', password) }
}

/** The server as it is reached by connections whose sessions last. */
export const sessionServer = ({ sessionUrl, ...server }: DatabaseServer): DatabaseServer =>
  sessionUrl === undefined ? server : { ...server, url: sessionUrl }

const RETRY_SECONDS = 2

async function passwordIn(path: string): Promise<string> {
  try {
    return readSecretFile(`DATABASE_PASSWORD${FILE_SUFFIX}`, path).text
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : undefined
    throw new Problem(
      'unavailable',
      { ...(detail && { detail }), retryAfterSeconds: RETRY_SECONDS },
      { cause },
    )
  }
}

/** The refusal of a server that takes no changes. */
export const READ_ONLY = '25006'

/**
 * The class of all connections to a server. Each of them takes the address with everything that it says of
 * TLS, and the certificates and the password as they are at that time: they may be short-lived.
 */
export function clientOf(server: string | DatabaseServer): typeof pg.Client {
  const { url, password } = serverOf(server)
  let address = firstAddressOf(url)
  const now = () => {
    try {
      address = addressOf(url)
    } catch {
      // A certificate that is being replaced: with the last one, which the other side judges.
    }
    return address
  }
  return class extends pg.Client {
    constructor(config: string | pg.ClientConfig = {}) {
      super({ ...(config as pg.ClientConfig), ...now(), ...present('password', password) })
      // The driver leaves a connection without a password open until the server gives up on it.
      this.connection.on('error', () => this.connection.stream.destroy())
      // A primary that became a standby stays one: the next connection leads to the new primary.
      this.connection.on('errorMessage', ({ code }: { readonly code?: unknown }) => {
        if (code === READ_ONLY) this.end().catch(() => {})
      })
    }
  }
}

// Later a file may be missing for a moment, while it is replaced. One that was never there is a wrong
// setting.
function firstAddressOf(url: string): pg.ClientConfig {
  try {
    return addressOf(url)
  } catch (cause) {
    const { code, path } = cause as NodeJS.ErrnoException
    if (path === undefined) throw cause
    throw new Problem(
      'invalid-input',
      { detail: `DATABASE_URL names ${path}, which cannot be read (${code})` },
      { cause },
    )
  }
}

function addressOf(url: string): pg.ClientConfig {
  const { ssl, ...rest } = parse(url)
  // The driver itself hands parsed values on so; its types say otherwise.
  return { ...rest, ssl: strict(ssl) } as unknown as pg.ClientConfig
}

// Said aloud, so that no variable of the environment turns the check of certificates off.
function strict(ssl: ConnectionOptions['ssl']): ConnectionOptions['ssl'] {
  if (ssl === true || ssl === 'true') return { rejectUnauthorized: true }
  return typeof ssl === 'object' ? { rejectUnauthorized: true, ...ssl } : ssl
}
