import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Config, type ControlPlane, createControlPlane, type Log, Problem } from '@svc/core'
import { databaseServer, openStorage, type StorageSource } from '@svc/core/sql'
import { createApp, createControlApp, type Listening, listen } from '@svc/http'
import { controlSocketPath } from '../../connect.ts'
import { DOCS_PAGES, docsFolder } from '../../docs-folder.ts'
import type { Io } from '../../io.ts'
import { watchThread } from '../../thread-watch.ts'
import { connectionLimit } from './connection-limit.ts'
import { tellDoubts } from './start-report.ts'
import { sweepLoop } from './sweep-loop.ts'
import { tickLoop } from './tick-loop.ts'
import { keepRequestsYoung } from './young-requests.ts'

/** What a service is started from. */
export interface ServiceParts {
  readonly io: Io
  readonly config: Config
  readonly log: Log
  /** Told once when the embedded database has given up, and why. */
  readonly onLost: (reason: unknown, sentence: string) => void
}

const LOST =
  'the embedded database has given up: ending; what was acknowledged is kept, start again when the disk has room'

/**
 * A control plane that serves. Disposing it drains: not ready, no new requests, those under way are answered, storage
 * is closed.
 */
export interface RunningService extends AsyncDisposable {
  readonly plane: ControlPlane
  /** Where this machine reaches it: `http://127.0.0.1:8080`. */
  readonly url: string
  /** The parts that have not ended yet. */
  open(): readonly string[]
}

/** A part of the service that works until it is disposed, by the name that the log gives it. */
type Working = Map<string, AsyncDisposable>

/** Opens storage, wires the plane and listens. What was opened before a failure is closed again. */
export async function startService(parts: ServiceParts): Promise<RunningService> {
  const { config, log, onLost } = parts
  keepRequestsYoung()
  const storage = await openStorage(storageSource(config))
  // A server has its own limit for statements, and is not on this thread.
  const watch = storage.kind.startsWith('pglite') ? watchThread() : undefined
  storage.lost?.addEventListener('abort', () => onLost(storage.lost?.reason, LOST))
  const working: Working = new Map()
  const close = async (name: string, part: AsyncDisposable) => {
    await part[Symbol.asyncDispose]()
    working.delete(name)
  }
  const closeAll = async () => {
    // All at once: a client that hangs on one of them does not use up the time of the others.
    await Promise.all([...working].map(([name, part]) => close(name, part)))
    working.set('storage', storage)
    await close('storage', storage)
    await watch?.[Symbol.asyncDispose]()
  }
  try {
    const plane = createControlPlane({ config, storage, log, docsDir: docsFolder(), docsPages: DOCS_PAGES })
    tellDoubts(plane)
    const url = await startWork(plane, parts, working)
    log.info({ url, storage: storage.kind }, 'serving')
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

/** Starts everything that works on a plane, each noted in `working` as soon as it does; the address it has. */
async function startWork(
  plane: ControlPlane,
  { io, config, log }: ServiceParts,
  working: Working,
): Promise<string> {
  working.set('sweep', sweepLoop(plane))
  const { tickSeconds } = config.scheduler
  if (tickSeconds > 0) working.set('tick', tickLoop(plane, tickSeconds))
  const { dataDir } = config.service
  if (dataDir !== undefined) {
    // Storage makes the folder that it keeps its rows in; beside a server nobody has made one.
    await mkdir(resolve(io.cwd, dataDir), { recursive: true, mode: 0o700 })
    const path = controlSocketPath(io.cwd, dataDir)
    working.set('control socket', await listen(createControlApp(plane), { path, log, ...patience(config) }))
  }
  const server = await listenOnNetwork(plane)
  working.set('server', { [Symbol.asyncDispose]: () => drained(server, log) })
  return localUrl(config.http.host, server)
}

/** How long answers may take after SIGTERM, so that the process is gone within 10 s. */
const DRAIN_DEADLINE_MS = 8500

const patience = ({ service }: Config) => ({
  drainDelayMs: service.drainDelaySeconds * 1000,
  drainDeadlineMs: DRAIN_DEADLINE_MS,
})

function storageSource(config: Config): StorageSource {
  const { database, service } = config
  const server = databaseServer(config)
  if (server !== undefined) return { ...server, poolSize: database.pool }
  return service.dataDir === undefined ? { memory: true } : { dataDir: service.dataDir }
}

async function listenOnNetwork(plane: ControlPlane): Promise<Listening> {
  const { config, health, log } = plane
  const { host, port } = config.http
  const limits = { maxConnections: await connectionLimit(config), ...patience(config) }
  try {
    return await listen(createApp(plane), { host, port, health, log, ...limits })
  } catch (cause) {
    if (!(cause instanceof Problem) || cause.code !== 'conflict') throw cause
    const detail = `${host}:${port} is in use: stop what listens there, or choose another port with --port`
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
