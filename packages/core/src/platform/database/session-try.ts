import { randomUUID } from 'node:crypto'
import { type Pooling, type PoolingFault, refusedPooling } from '../storage/storage.ts'
import { clientOf, type DatabaseServer, sessionServer } from './database-server.ts'

/** Limits that the service sets for each of its sessions, in milliseconds. */
export const STATEMENT_LIMITS = {
  statement_timeout: 5000,
  lock_timeout: 2000,
  idle_in_transaction_session_timeout: 10_000,
} as const

type Client = InstanceType<ReturnType<typeof clientOf>>

/**
 * Judges the first new connection of a pool, and later ones until one is good. Most are direct, which costs
 * one statement; behind a pooler sessions are tried.
 */
export function sessionGuard(
  server: DatabaseServer,
): (client: Pick<Client, 'query'>, done: (error?: Error) => void) => void {
  let isGood = false
  let trying: Promise<void> | undefined
  const judge = async (client: Pick<Client, 'query'>) => {
    if (server.sessionUrl !== undefined || !(await isDirect(client))) await requireSessions(server)
    isGood = true
  }
  return (client, done) => {
    if (isGood) return done()
    trying ??= judge(client).finally(() => {
      trying = undefined
    })
    trying.then(() => done(), done)
  }
}

/** @throws Problem `unavailable` when a pooler does not keep sessions, or the driver's error */
export async function requireSessions(server: DatabaseServer): Promise<void> {
  const fault = await poolingFault(server)
  if (fault !== undefined) throw refusedPooling(fault)
}

/** Tries sessions and looks at limits now. @throws the driver's error when the server cannot be reached */
export async function poolingOf(server: DatabaseServer): Promise<Pooling> {
  if ((await poolingFault(server)) !== undefined) return { isKept: false, lacking: [] }
  await using connections = openings(server)
  const { rows } = await (await connections.open()).query<{ name: string; setting: string }>(
    `select name, setting from pg_settings where name in ('${Object.keys(STATEMENT_LIMITS).join("', '")}')`,
  )
  const inForce = new Map(rows.map(({ name, setting }) => [name, Number(setting)]))
  const isLacking = ([name, promised]: [string, number]) => {
    const limit = inForce.get(name) ?? 0
    return limit === 0 || limit > promised
  }
  return {
    isKept: true,
    lacking: Object.entries(STATEMENT_LIMITS)
      .filter(isLacking)
      .map(([name]) => name),
  }
}

/** The fault of a pooler; undefined: the service can work. */
async function poolingFault(server: DatabaseServer): Promise<PoolingFault | undefined> {
  await using requests = openings(server)
  await using sessions = openings(sessionServer(server))
  const asker = await requests.open()
  if (server.sessionUrl === undefined) {
    if (await isDirect(asker)) return undefined
    return (await hears(await sessions.open(), asker)) ? undefined : 'notKept'
  }
  if (!(await hears(await sessions.open(), asker))) return 'elsewhere'
  if ((await isDirect(asker)) || (await hears(await requests.open(), asker))) return undefined
  return (await keepsStatements(requests)) ? undefined : 'notPrepared'
}

const PID = 'select pg_backend_pid() as pid'

/**
 * Whether the process that answers is the one that greeted: a pooler greets by itself, with a number of its
 * own.
 */
async function isDirect(client: Pick<Client, 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>(PID)
  return rows[0]?.pid === (client as { readonly processID?: unknown }).processID
}

// One name for all tries: a pooler may keep the session that listens.
const CHANNEL = 'svc_try'
/** Time in which a signal is heard, in milliseconds: hundreds of times as long as it mostly takes. */
const HEARD_MS = 1000

/**
 * Whether a connection that is idle hears a signal of another. A pooler that takes the session away from an
 * idle connection has nobody to pass a signal on to, whichever session the next statement gets.
 */
async function hears(listener: Client, asker: Client): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const nonce = randomUUID()
  listener.on('notification', ({ payload }) => {
    if (payload === nonce) resolve(true)
  })
  await listener.query(`listen ${CHANNEL}`)
  await asker.query('select pg_notify($1, $2)', [CHANNEL, nonce])
  const late = setTimeout(() => resolve(false), HEARD_MS)
  return promise.finally(() => clearTimeout(late))
}

const PREPARED = { name: 'svc_try', text: PID }
/** Connections that hold a session each, so that the next statement gets another one. */
const MOST_HOLDERS = 8
/** The statement is not there, or is there already; a pooler has ended the connection. */
const LOST_STATEMENT = new Set(['26000', '42P05', '08P01'])

/**
 * Whether a statement that was prepared in one session runs in another. Transactions of further connections
 * hold sessions until the statement meets another one: only that proves something.
 */
async function keepsStatements(connections: Openings): Promise<boolean> {
  const asker = await connections.open()
  const ask = async () => (await asker.query<{ pid: number }>(PREPARED)).rows[0]?.pid
  try {
    const first = await ask()
    for (let held = 0; held < MOST_HOLDERS; held += 1) {
      const holder = await connections.open()
      await holder.query('begin')
      await holder.query(PREPARED)
      if ((await ask()) !== first) return true
    }
    return false
  } catch (error) {
    if (LOST_STATEMENT.has((error as { code?: string }).code ?? '')) return false
    throw error
  }
}

/** Connections that are closed together. */
interface Openings extends AsyncDisposable {
  open(): Promise<Client>
}

/** Longest wait for a connection and for an answer, in milliseconds. */
const PATIENCE_MS = 2000

function openings(server: DatabaseServer): Openings {
  const Client = clientOf(server)
  const opened: Client[] = []
  return {
    open: async () => {
      const client = new Client({
        ...STATEMENT_LIMITS,
        connectionTimeoutMillis: PATIENCE_MS,
        query_timeout: PATIENCE_MS,
        application_name: 'svc',
      })
      client.on('error', () => {})
      opened.push(client)
      await client.connect()
      return client
    },
    [Symbol.asyncDispose]: async () => void (await Promise.allSettled(opened.map((each) => each.end()))),
  }
}
