import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, describe, expect, it } from '@jest/globals'
import { PLATFORM } from '@svc/core'
import { buildJob, buildLicense, buildTenant, migratedDatabase, type TestDatabase } from '@svc/testing'
import pg from 'pg'
import { Problem } from '../../../src/kernel/problem.ts'
import { translated } from '../../../src/platform/database/unavailable.ts'
import { openStorage } from '../../../src/sql.ts'
import { POSTGRES, SERVER } from '../storage/backends.ts'

const UNAVAILABLE = { name: 'Problem', code: 'unavailable', data: { retryAfterSeconds: 2 } }
const held: AsyncDisposable[] = []

afterEach(async () => {
  for (const each of held.splice(0).reverse()) await each[Symbol.asyncDispose]()
})

function kept<T extends AsyncDisposable>(each: T): T {
  held.push(each)
  return each
}

const database = async (): Promise<TestDatabase> => kept(await migratedDatabase(SERVER))

const opened = async (url: string, poolSize = 4) => kept(await openStorage({ url, poolSize }))

async function client(url: string): Promise<pg.Client> {
  const made = new pg.Client({ connectionString: url })
  made.on('error', () => {})
  await made.connect()
  kept({ [Symbol.asyncDispose]: () => made.end() })
  return made
}

/** A relay in front of the server that can be stopped and started again. */
class Relay {
  readonly #target: URL
  readonly #sockets = new Set<Socket>()
  #server = createServer()
  #port = 0

  constructor(url: string) {
    this.#target = new URL(url)
  }

  get url(): string {
    const url = new URL(this.#target)
    url.host = `127.0.0.1:${this.#port}`
    return url.href
  }

  async start(): Promise<void> {
    this.#server = createServer((near) => {
      const far = connect(Number(this.#target.port || 5432), this.#target.hostname)
      for (const socket of [near, far]) {
        this.#sockets.add(socket)
        socket
          .on('error', () => {})
          .on('close', () => {
            near.destroy()
            far.destroy()
            this.#sockets.delete(socket)
          })
      }
      near.pipe(far).pipe(near)
    }).listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Silently drops all data on the present connections; new connections work as before. */
  swallow(): void {
    for (const socket of this.#sockets) socket.unpipe().resume()
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }
}

describe(`a database that cannot be reached, on ${POSTGRES}`, () => {
  it('is a problem that a caller may try again, in statements, transactions and health, until it is back', async () => {
    const relay = new Relay((await database()).url)
    await relay.start()
    const storage = await opened(relay.url)
    await storage.jobs.enqueue(buildJob())
    await relay.stop()
    await expect(storage.jobs.enqueue(buildJob())).rejects.toMatchObject(UNAVAILABLE)
    await expect(storage.tenants.list(PLATFORM)).rejects.toMatchObject(UNAVAILABLE)
    await expect(storage.transaction(({ tenants }) => tenants.list(PLATFORM))).rejects.toMatchObject(
      UNAVAILABLE,
    )
    await expect(storage.health()).rejects.toMatchObject(UNAVAILABLE)
    await relay.start()
    const tenant = buildTenant()
    await storage.tenants.add(tenant)
    expect(await storage.transaction(({ tenants }) => tenants.find(PLATFORM, tenant.id))).toMatchObject(
      tenant,
    )
    expect((await storage.health()).missingTables).toEqual([])
    kept({ [Symbol.asyncDispose]: () => relay.stop() })
  })

  it('is met by the first statement and not by the opening, which asks for nothing', async () => {
    const relay = new Relay((await database()).url)
    await relay.start()
    await relay.stop()
    const storage = await opened(relay.url)
    await expect(storage.health()).rejects.toMatchObject(UNAVAILABLE)
    await expect(storage.tenants.list(PLATFORM)).rejects.toMatchObject(UNAVAILABLE)
  })

  it('one that vanished without a word is one too, after seven seconds, and its connections are not used again', async () => {
    const relay = new Relay((await database()).url)
    await relay.start()
    kept({ [Symbol.asyncDispose]: () => relay.stop() })
    const storage = await opened(relay.url, 1)
    await Promise.all([storage.tenants.list(PLATFORM), storage.jobs.get(PLATFORM, 'job_x'), storage.health()])
    relay.swallow()
    const stalled = [storage.tenants.list(PLATFORM), storage.health(), storage.jobs.enqueue(buildJob())]
    for (const each of await Promise.allSettled(stalled)) {
      expect(each).toMatchObject({ status: 'rejected', reason: UNAVAILABLE })
    }
    expect(await storage.tenants.list(PLATFORM)).toEqual([])
    expect((await storage.health()).missingTables).toEqual([])
    await storage.jobs.enqueue(buildJob())
  }, 60_000)

  it('a statement that is cut off in flight is one as well', async () => {
    const { url } = await database()
    const [storage, other] = [await opened(url), await client(url)]
    await other.query('begin')
    await other.query('lock table tenants')
    const waiting = storage.tenants.add(buildTenant()).catch((error: unknown) => error)
    await terminateWaiting(other)
    expect(await waiting).toMatchObject(UNAVAILABLE)
    await other.query('rollback')
    expect(await storage.tenants.add(buildTenant())).toBeDefined()
  })

  it('connections that the server ends while they idle are replaced', async () => {
    const { url } = await database()
    const [storage, other] = [await opened(url), await client(url)]
    await Promise.all(Array.from({ length: 4 }, () => storage.tenants.list(PLATFORM)))
    await storage.health()
    await other.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => storage.tenants.list(PLATFORM)))
    for (const each of tries) if (each.status === 'rejected') expect(each.reason).toMatchObject(UNAVAILABLE)
    expect(await storage.tenants.list(PLATFORM)).toEqual([])
    expect((await storage.health()).missingTables).toEqual([])
  })

  it('a lock that is not given within two seconds is one, and health answers meanwhile', async () => {
    const { url } = await database()
    const [storage, other] = [await opened(url), await client(url)]
    await other.query('begin')
    await other.query('lock table jobs')
    const waiting = storage.jobs.enqueue(buildJob()).catch((error: unknown) => error)
    expect((await storage.health()).missingTables).toEqual([])
    expect(await waiting).toMatchObject(UNAVAILABLE)
  })

  it('a pool with no free connection is one after two seconds, and health answers meanwhile', async () => {
    const { url } = await database()
    const storage = await opened(url, 1)
    const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const busy = storage.transaction(() => {
      begun.resolve()
      return over.promise
    })
    await begun.promise
    const waiting = storage.jobs.get(PLATFORM, 'job_x').catch((error: unknown) => error)
    expect(await storage.health()).toMatchObject({ missingTables: [] })
    expect(await waiting).toMatchObject(UNAVAILABLE)
    over.resolve()
    await busy
    expect(await storage.jobs.get(PLATFORM, 'job_x')).toBeUndefined()
  })

  it('a primary that takes no changes any more is one, and its connections are not used again', async () => {
    const { url } = await database()
    const [storage, other] = [await opened(url, 1), await client(url)]
    const uses = () => [
      storage.tenants.add(buildTenant()),
      storage.jobs.enqueue(buildJob()),
      storage.transaction(({ tenants }) => tenants.add(buildTenant())),
    ]
    const { pathname } = new URL(url)
    await other.query(`alter database ${pathname.slice(1)} set default_transaction_read_only = on`)
    for (const use of uses()) await expect(use).rejects.toMatchObject(UNAVAILABLE)
    // As if it led to the new primary: a setting of the database counts for new connections alone.
    await other.query('set default_transaction_read_only = off')
    await other.query(`alter database ${pathname.slice(1)} reset default_transaction_read_only`)
    for (const use of uses()) await use
  })

  it('a standby is one for the look at health, which changes nothing itself', async () => {
    const { url } = await database()
    const [storage, other] = [await opened(url), await client(url)]
    expect(await storage.health()).toMatchObject({ missingTables: [] })
    // A function of this name goes before the one of the server, for new connections.
    await other.query(
      `create function public.pg_is_in_recovery() returns boolean language sql as 'select true'`,
    )
    const { pathname } = new URL(url)
    await other.query(`alter database ${pathname.slice(1)} set search_path = public, pg_catalog`)
    const later = await opened(url)
    await expect(later.health()).rejects.toMatchObject({
      ...UNAVAILABLE,
      message: 'the database is a standby, which takes no changes: DATABASE_URL has to lead to the primary',
    })
  })

  it('names neither password nor server when nothing listens', async () => {
    const url = 'postgres://svc:hunter2-secret@127.0.0.1:9/svc'
    const problem = await openStorage({ url })
      .then(async (storage) => {
        kept(storage)
        return storage.jobs.get(PLATFORM, 'job_x')
      })
      .catch((error: unknown) => error)
    expect(problem).toMatchObject(UNAVAILABLE)
    expect(inspect(problem, { depth: 10 })).not.toContain('hunter2')
    expect((problem as Problem).message).toBe('the database cannot be reached or is too busy')
  })

  it('a refusal by the data itself is no such problem', async () => {
    const storage = await opened((await database()).url)
    const job = buildJob()
    await storage.jobs.enqueue(job)
    const refused = await storage.jobs.enqueue(job).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Error)
    expect(refused).not.toBeInstanceOf(Problem)
  })

  it('neither is a text that no statement can hold, and the connection goes on', async () => {
    const storage = await opened((await database()).url, 1)
    const add = storage.licenses.add(buildLicense({ label: 'n\u0000l' }))
    for (const asked of [storage.tenants.find(PLATFORM, 'n\u0000l'), add]) {
      const refused = await asked.catch((each: unknown) => each)
      expect(refused).toBeInstanceOf(Error)
      expect(refused).not.toBeInstanceOf(Problem)
    }
    expect(await storage.tenants.list(PLATFORM)).toEqual([])
  })
})

async function terminateWaiting(by: pg.Client): Promise<void> {
  const text = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  for (;;) {
    // Without this, the transaction would keep seeing the connections of its first look.
    await by.query('select pg_stat_clear_snapshot()')
    if ((await by.query(text)).rowCount !== 0) return
  }
}

describe('telling a database that is away from one that refuses', () => {
  const error = (code: string, message = 'x') => Object.assign(new Error(message), { code })

  it.each([
    '08006',
    '53300',
    '57P01',
    '55P03',
    '57014',
    '40P01',
    '25006',
    'ECONNREFUSED',
    'ECONNRESET',
    'ETIMEDOUT',
    'EMFILE',
  ])('%s: away', (code) => {
    const cause = error(code)
    expect(translated(cause)).toMatchObject({ ...UNAVAILABLE, cause })
  })

  it.each(['23505', '22P02', '42P01', '40001', '08P01', 'EACCES', ''])(
    '%p: refuses, and is thrown as it is',
    (code) => {
      const cause = error(code)
      expect(translated(cause)).toBe(cause)
    },
  )

  it('08P01 with which a pooler ends the connection: away', () => {
    const cause = Object.assign(error('08P01', 'query_wait_timeout'), { severity: 'FATAL' })
    expect(translated(cause)).toMatchObject({ ...UNAVAILABLE, cause })
  })

  it.each([
    'Connection terminated unexpectedly',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Query read timeout',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
  ])('%s: away', (message) => {
    expect(translated(new Error(message))).toMatchObject(UNAVAILABLE)
  })

  it('a problem stays the one it is', () => {
    const problem = new Problem('not-found')
    expect(translated(problem)).toBe(problem)
  })
})
