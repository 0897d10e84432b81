import { resolve } from 'node:path'
import {
  type Config,
  type ControlPlane,
  createControlPlane,
  type Log,
  Problem,
  verificationKeys,
} from '@svc/core'
import { ownFolder } from '@svc/core/adapters'
import { type DatabaseServer, databaseServer, openStorage, type StorageSource } from '@svc/core/sql'
import {
  createApp,
  createControlApp,
  createWaitingApp,
  type Listening,
  listen,
  type Served,
  type UpgradeRoute,
} from '@svc/http'
import { browserEngine } from '../../browser/browser-engine.ts'
import { controlSocketPath } from '../../connect/connect.ts'
import { DOCS_PAGES, docsFolder } from '../../shipped.ts'
import type { Io } from '../../terminal/io.ts'
import { watchThread } from '../../thread-watch.ts'
import { connectionLimit } from './connection-limit.ts'
import { databaseWait } from './database-wait.ts'
import { logSettingWarnings } from './start-report.ts'
import { sweepLoop } from './sweep-loop.ts'
import { tickLoop } from './tick-loop.ts'
import { webhookLoop } from './webhook-loop.ts'
import { keepRequestsYoung } from './young-requests.ts'

/** Inputs of a service. */
export interface ServiceParts {
  readonly io: Io
  readonly config: Config
  readonly log: Log
  /** Whether the schema of a database server may be migrated to this release. */
  readonly mayMigrate?: boolean
  /**
   * Called once when the service cannot go on: the embedded database has given up, or the service could not
   * begin.
   */
  readonly onLost: (reason: unknown, sentence: string) => void
}

const LOST =
  'the embedded database has given up: ending; acknowledged changes are kept, start again when the disk has room'

/**
 * A control plane that serves. Disposing it drains it: it is no longer ready, takes no new requests, answers
 * the requests under way and closes storage.
 */
export interface RunningService extends AsyncDisposable {
  readonly plane: ControlPlane
  /** Its URL on this machine: `http://127.0.0.1:8080`. */
  readonly url: string
  /** Returns the names of the parts that have not ended yet. */
  open(): readonly string[]
}

/** The parts of the service that work until they are disposed, by the names that the log gives them. */
type Working = Map<string, AsyncDisposable>

/**
 * Listens, and serves as soon as the database is ready: an embedded one, which is opened here, at once; a
 * database server when it is reached and migrated. After a failure all parts opened before are closed again.
 */
export async function startService(parts: ServiceParts): Promise<RunningService> {
  const { config, log, onLost } = parts
  keepRequestsYoung()
  const server = databaseServer(config)
  const storage = await openStorage(storageSource(config, server))
  // A database server has its own limit for statements, and does not run on this thread.
  const watch = storage.kind.startsWith('pglite') ? watchThread() : undefined
  storage.lost?.addEventListener('abort', () => onLost(storage.lost?.reason, LOST))
  const working: Working = new Map()
  const close = async (name: string, part: AsyncDisposable) => {
    await part[Symbol.asyncDispose]()
    working.delete(name)
  }
  let plane: ControlPlane | undefined
  const closeAll = async () => {
    // Parts close at the same time: a client that hangs on one of them does not use up the time of the
    // others.
    await Promise.all([...working].map(([name, part]) => close(name, part)))
    // The last heartbeats are answered by then.
    await plane?.hostUsage.stop()
    working.set('storage', storage)
    await close('storage', storage)
    await watch?.[Symbol.asyncDispose]()
  }
  try {
    const docs = { docsDir: docsFolder(), docsPages: DOCS_PAGES }
    plane = createControlPlane({ config, storage, log, browserEngine, ...docs })
    working.set('browser', plane.browserWorker)
    logSettingWarnings(plane)
    const url = await begin(plane, server, parts, working)
    let closed: Promise<void> | undefined
    const dispose = () => {
      closed ??= closeAll()
      return closed
    }
    return { plane, url, open: () => [...working.keys()], [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await closeAll()
    throw error
  }
}

const NOT_BEGUN = 'the service could not begin: ending'

/**
 * Listens, then works at once or when the database is ready; each part is noted in `working`. Returns the
 * address.
 */
async function begin(
  plane: ControlPlane,
  server: DatabaseServer | undefined,
  parts: ServiceParts,
  working: Working,
): Promise<string> {
  const { log } = plane
  if (server === undefined) {
    const { url } = await openDoors(plane, parts, working)
    startLoops(plane, working)
    log.info({ url, storage: plane.storage.kind }, 'serving')
    return url
  }
  plane.health.starting()
  const { url, serve } = await openDoors(plane, parts, working)
  log.info({ url }, 'listening')
  const onGood = () => {
    serve()
    plane.health.started()
    startLoops(plane, working)
    log.info({ url, storage: plane.storage.kind }, 'serving')
  }
  const onFault = (fault: unknown) => parts.onLost(fault, NOT_BEGUN)
  const { mayMigrate = false } = parts
  working.set('start', databaseWait({ plane, server, mayMigrate, onGood, onFault }))
  return url
}

function startLoops(plane: ControlPlane, working: Working): void {
  working.set('sweep', sweepLoop(plane))
  working.set('webhooks', webhookLoop(plane))
  working.set('scans', { [Symbol.asyncDispose]: () => plane.surface.stop() })
  const { tickSeconds } = plane.config.scheduler
  if (tickSeconds > 0) working.set('tick', tickLoop(plane, tickSeconds))
  else plane.log.warn({}, 'no ticks of its own: monitors and alerts wait for a call of /api/v1/monitors/run')
}

/** The sockets of a service. */
interface Doors {
  readonly url: string
  /** Puts the service behind sockets that answered 503 until now. */
  serve(): void
}

async function openDoors(
  plane: ControlPlane,
  { io, config, log }: ServiceParts,
  working: Working,
): Promise<Doors> {
  const isStarting = plane.health.isStarting
  const { dataDir } = config.service
  let control: Listening | undefined
  if (dataDir !== undefined) {
    // An embedded database has made its folder already; beside a database server nothing has made it.
    await ownFolder(resolve(io.cwd, dataDir))
    const path = controlSocketPath(io.cwd, dataDir)
    const app = isStarting ? createWaitingApp(plane, { for: 'operators' }) : createControlApp(plane)
    control = await listen(app, { path, log, ...patience(plane) })
    working.set('control socket', control)
  }
  const routes = await relayRoutesOf(plane)
  const serving = () => createApp(plane, { upgradeRoutes: routes, console: config.service.console === '1' })
  const app = isStarting ? createWaitingApp(plane, { for: 'everybody' }) : serving()
  const network = await listenOnNetwork(plane, app)
  working.set('server', { [Symbol.asyncDispose]: () => drained(network, log) })
  const serve = () => {
    control?.serve(createControlApp(plane))
    network.serve(serving())
  }
  return { url: localUrl(config.http.host, network), serve }
}

/** Sessions end before the deadline of the drain, so that they are told why. */
const RELAY_DRAIN_MS = 7000

/** The routes of the relay, if this process is one. */
async function relayRoutesOf(plane: ControlPlane): Promise<readonly UpgradeRoute[]> {
  const { relay } = plane.config
  if (relay.mode !== 'embedded' || plane.access.lack !== undefined) return []
  const { servedRelay } = await import('../../relay/served-relay.ts')
  const keys = verificationKeys(plane.signer.jwks())
  const drainMs = Math.min(1000 * relay.drainSeconds, RELAY_DRAIN_MS)
  return servedRelay(plane, { keys, drainMs }).routes
}

/** How long answers may take after SIGTERM, so that the process is gone within 10 s. */
const DRAIN_DEADLINE_MS = 8500

const patience = ({ config, health }: ControlPlane) => ({
  // Balancers send no requests to a service that has not begun, so none needs time to notice its end.
  drainDelayMs: () => (health.isStarting ? 0 : config.service.drainDelaySeconds * 1000),
  drainDeadlineMs: DRAIN_DEADLINE_MS,
})

/** Returns where the data lies: the server that is given, else the folder of the settings, else memory. */
export function storageSource(
  { database, service }: Config,
  server: DatabaseServer | undefined,
): StorageSource {
  if (server !== undefined) return { ...server, poolSize: database.pool }
  return service.dataDir === undefined ? { memory: true } : { dataDir: service.dataDir }
}

async function listenOnNetwork(plane: ControlPlane, app: Served): Promise<Listening> {
  const { config, health, log } = plane
  const { host, port } = config.http
  const limits = { maxConnections: await connectionLimit(config), ...patience(plane) }
  try {
    return await listen(app, { host, port, health, log, ...limits })
  } catch (cause) {
    if (!(cause instanceof Problem) || cause.code !== 'conflict') throw cause
    const detail = `${host}:${port} is in use: stop the program that listens there, or choose another port with --port`
    throw new Problem('conflict', { detail }, { cause })
  }
}

async function drained(server: Listening, log: Log): Promise<void> {
  const { lost } = await server.drain()
  if (lost > 0) log.warn({ lost }, 'drained; answers were not finished in time')
  else log.info({}, 'drained')
}

const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }

function localUrl(host: string, { url, port }: Listening): string {
  const local = EVERYWHERE[host]
  return local === undefined ? url : `http://${local}:${port}`
}
