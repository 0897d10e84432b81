import { type Config, type ControlPlane, createControlPlane, type Log, Problem } from '@svc/core'
import { openStorage, type StorageSource } from '@svc/core/sql'
import { createApp, createControlApp, type Listening, listen } from '@svc/http'
import { controlSocketPath } from '../../connect.ts'
import { docsFolder } from '../../docs-folder.ts'
import type { Io } from '../../io.ts'
import { tellDoubts } from './start-report.ts'
import { sweepLoop } from './sweep-loop.ts'
import { tickLoop } from './tick-loop.ts'

/** What a service is started from. */
export interface ServiceParts {
  readonly io: Io
  readonly config: Config
  readonly log: Log
}

/**
 * A control plane that serves. Disposing it drains: not ready, no new requests, those under way are answered, storage
 * is closed.
 */
export interface RunningService extends AsyncDisposable {
  readonly plane: ControlPlane
  /** Where this machine reaches it: `http://127.0.0.1:8080`. */
  readonly url: string
}

/** Opens storage, wires the plane and listens. What was opened before a failure is closed again. */
export async function startService({ io, config, log }: ServiceParts): Promise<RunningService> {
  const opened: AsyncDisposable[] = []
  const closeAll = async () => {
    for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]()
  }
  try {
    const storage = await openStorage(storageSource(config))
    opened.push(storage)
    const plane = createControlPlane({ config, storage, log, docsDir: docsFolder() })
    tellDoubts(plane)
    opened.push(sweepLoop(plane))
    const { tickSeconds } = config.scheduler
    if (tickSeconds > 0) opened.push(tickLoop(plane, tickSeconds))
    const { dataDir } = config.service
    if (dataDir !== undefined) {
      const path = controlSocketPath(io.cwd, dataDir)
      opened.push(await listen(createControlApp(plane), { path, log }))
    }
    const server = await listenOnNetwork(plane)
    opened.push({ [Symbol.asyncDispose]: () => drained(server, log) })
    const url = localUrl(config.http.host, server)
    log.info({ url, storage: storage.kind }, 'serving')
    let closed: Promise<void> | undefined
    const dispose = () => {
      closed ??= closeAll()
      return closed
    }
    return { plane, url, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await closeAll()
    throw error
  }
}

function storageSource({ database, service }: Config): StorageSource {
  if (database.url !== undefined) return { url: database.url, poolSize: database.pool }
  return service.dataDir === undefined ? { memory: true } : { dataDir: service.dataDir }
}

async function listenOnNetwork(plane: ControlPlane): Promise<Listening> {
  const { config, health, log } = plane
  const { host, port, maxConnections } = config.http
  const drainDelayMs = config.service.drainDelaySeconds * 1000
  try {
    return await listen(createApp(plane), { host, port, maxConnections, health, drainDelayMs, log })
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
