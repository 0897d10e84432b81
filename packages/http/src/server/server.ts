import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type Log, Problem, silentLog } from '@svc/core'
import type Koa from 'koa'
import type { Upgrades } from '../dispatch/upgrades.ts'
import { RequestIds } from '../observe/request-log.ts'
import { Connections } from './connections.ts'
import { type DrainReport, drainServer } from './drain.ts'
import { answerTo, NO_HOST, NO_TUNNEL, refuseRaw, writeRaw } from './raw-answer.ts'
import { tellRefused } from './refused-connections.ts'
import { ownerOnly, removeStale } from './socket-file.ts'

export type { DrainReport } from './drain.ts'

/** The place to listen: an address, or a socket file that only its owner may open. */
export type ListenAt =
  | { readonly host: string; readonly port: number; readonly path?: never }
  | { readonly path: string; readonly host?: never; readonly port?: never }

/** Options of a listening server. */
export type ListenOptions = ListenAt & {
  /** Open connections at most; more are dropped. Default: no limit of our own. */
  readonly maxConnections?: number | undefined
  /** Notified when draining begins. */
  readonly health?: { drain(): void } | undefined
  /** The delay before new connections are refused, read when draining begins. Default 0. */
  readonly drainDelayMs?: number | (() => number)
  /** How long answers may take while draining. Default 10 s. */
  readonly drainDeadlineMs?: number
  readonly log?: Log
  /** Shorter timeouts, for tests. */
  readonly patience?: Partial<typeof PATIENCE>
}

/** An application, with its upgrade routes if it has some. */
export type Served = Koa & { readonly upgrades?: Upgrades }

/** A listening server. Disposing it drains it. */
export interface Listening extends AsyncDisposable {
  /** `http://127.0.0.1:8080`, or the path of the socket file. */
  readonly url: string
  /** 0 for a socket file. */
  readonly port: number
  /** Switches to another application from the next request on, on open connections too. */
  serve(app: Served): void
  /** Stops without losing an accepted request. A second call returns the same report. */
  drain(): Promise<DrainReport>
  /** Stops at once; answers in progress are lost. */
  cut(): Promise<DrainReport>
}

const DRAIN_DEADLINE_MS = 10_000

/**
 * How long clients may take. Node's defaults allow a slow sender a minute, and are checked only twice a
 * minute.
 */
const PATIENCE = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2000,
  /**
   * Longer than the 60 s of common proxies and of the heartbeat, so that neither uses a connection that is
   * about to close.
   */
  keepAliveTimeout: 65_000,
}

const MAX_HEADER_BYTES = 16 * 1024
const MAX_HEADERS = 100

/**
 * Serves an application, with a limit on every resource that a client could exhaust.
 * @throws Problem `conflict` when the address or the socket file is in use
 */
export async function listen(app: Served, options: ListenOptions): Promise<Listening> {
  const ids = new RequestIds()
  const answering: Answering = { handle: app.callback(), upgrades: app.upgrades }
  const server = serverOf(options, answering)
  const connections = new Connections(server)
  answerRequests(server, answering, connections, ids)
  answerUpgrades(server, answering, connections)
  answerTheUnreadable(server, connections, ids)
  await listening(server, options)
  tellRefused(server, options.log ?? silentLog)
  const { health, drainDelayMs = 0, drainDeadlineMs: deadlineMs = DRAIN_DEADLINE_MS } = options
  const now = new AbortController()
  let drained: Promise<DrainReport> | undefined
  const begin = () => {
    const delayMs = typeof drainDelayMs === 'number' ? drainDelayMs : drainDelayMs()
    return drainServer(server, connections, { health, delayMs, deadlineMs, now: now.signal })
  }
  const drain = () => {
    drained ??= begin()
    return drained
  }
  const cut = () => {
    now.abort()
    return drain()
  }
  const serve = (next: Served) => {
    answering.handle = next.callback()
    answering.upgrades = next.upgrades
  }
  return { ...placeOf(server), serve, drain, cut, [Symbol.asyncDispose]: async () => void (await drain()) }
}

/** The application that answers now. */
interface Answering {
  handle: ReturnType<Koa['callback']>
  upgrades: Upgrades | undefined
}

function serverOf({ maxConnections, patience }: ListenOptions, answering: Answering): Server {
  const limits = { ...PATIENCE, ...patience, maxHeaderSize: MAX_HEADER_BYTES, insecureHTTPParser: false }
  // Otherwise Node would answer a missing Host itself, without a body.
  const server = createServer({
    ...limits,
    requireHostHeader: false,
    shouldUpgradeCallback: (request) => hasOneHost(request) && answering.upgrades?.accepts(request) === true,
  })
  server.maxHeadersCount = MAX_HEADERS
  server.maxRequestsPerSocket = 0
  server.timeout = 0
  if (maxConnections !== undefined) server.maxConnections = maxConnections
  return server
}

// One listener does all the work for a request: if there were several, Node would copy the list for each
// request.
function answerRequests(
  server: Server,
  answering: Answering,
  connections: Connections,
  ids: RequestIds,
): void {
  const listener: RequestListener = (request, response) => {
    connections.begin(request, response)
    if (hasOneHost(request)) void answering.handle(request, response)
    else refuseRaw(response, ids, NO_HOST)
  }
  server.on('request', listener)
  // Node would refuse an unknown expectation without a body; the service ignores the expectation instead.
  server.on('checkExpectation', listener)
}

// If there are two Host headers, a proxy may have used the other one. HTTP/1.0 needs none.
function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0')
}

// Node before 24.9 has no such callback, and with a listener it would take every request with an `Upgrade`
// header for an upgrade. Without one all of them are ordinary requests, and upgrade routes answer 426.
function answerUpgrades(server: Server, answering: Answering, connections: Connections): void {
  if (!('shouldUpgradeCallback' in server)) return
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // Node's own listener is gone, and an error without a listener would end the process.
    socket.on('error', () => socket.destroy())
    const draining = connections.upgrade(socket)
    connections.afterEarlier(socket, () => {
      // An earlier answer on this connection may have set the timeout of idle connections.
      socket.setTimeout(0)
      void answering.upgrades?.answer(request, socket, head, draining)
    })
  })
}

function answerTheUnreadable(server: Server, connections: Connections, ids: RequestIds): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET') socket.destroy()
    else {
      connections.afterEarlier(socket, () => {
        if (connections.isAnswering(socket)) socket.destroy()
        else writeRaw(socket, ids, answerTo(error))
      })
    }
  })
  server.on('connect', (_request, socket) => {
    connections.afterEarlier(socket, () => writeRaw(socket, ids, NO_TUNNEL))
  })
}

async function listening(server: Server, { host, port, path }: ListenOptions): Promise<void> {
  try {
    await bind(server, path === undefined ? { host, port } : { path })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    if (path === undefined || !(await removeStale(path))) {
      throw new Problem('conflict', { detail: `${path ?? `${host}:${port}`} is in use by another process` })
    }
    await bind(server, { path })
  }
}

function bind(server: Server, at: { host?: string; port?: number; path?: string }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  const begin = () =>
    server.listen(at, () => {
      server.off('error', reject)
      resolve()
    })
  if (at.path === undefined) begin()
  else ownerOnly(begin)
  return promise
}

function placeOf(server: Server): { url: string; port: number } {
  const address = server.address() as AddressInfo | string
  if (typeof address === 'string') return { url: address, port: 0 }
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return { url: `http://${host}:${address.port}`, port: address.port }
}
