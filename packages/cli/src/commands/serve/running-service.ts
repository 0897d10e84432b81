import { setTimeout as pause } from 'node:timers/promises'
import { type Config, type ControlPlane, configSummary, createControlPlane, type Log } from '@svc/core'
import { openStorage, type StorageSource } from '@svc/core/sql'
import { createApp, createControlApp, type Listening, listen } from '@svc/http'
import { controlSocketPath } from '../../connect.ts'
import type { Io } from '../../io.ts'
import { sweepLoop } from './sweep-loop.ts'

/** What a service is started from. */
export interface ServiceParts {
  readonly io: Io
  readonly config: Config
  readonly log: Log
}

/** A control plane that serves; disposing it drains: no new requests, those under way are answered, storage closed. */
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
    const plane = createControlPlane({ config, storage, log })
    tellSettings(plane)
    opened.push(sweepLoop(plane))
    const { dataDir } = config.service
    if (dataDir !== undefined) {
      const path = controlSocketPath(io.cwd, dataDir)
      opened.push(await listen(createControlApp(plane), { path }))
    }
    const { host, port } = config.http
    const server = await listen(createApp(plane), { host, port })
    opened.push(server)
    const url = addressOf(server, host)
    log.info({ url, storage: storage.kind }, 'serving')
    let drained: Promise<void> | undefined
    const dispose = () => {
      drained ??= drain(plane, closeAll)
      return drained
    }
    return { plane, url, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** Health first, so that a balancer sends nobody here any more; then the reverse of the start. */
async function drain(plane: ControlPlane, closeAll: () => Promise<void>): Promise<void> {
  plane.health.drain()
  await pause(plane.config.service.drainDelaySeconds * 1000)
  await closeAll()
  plane.log.info({}, 'drained')
}

function storageSource({ database, service }: Config): StorageSource {
  if (database.url !== undefined) return { url: database.url, poolSize: database.pool }
  return service.dataDir === undefined ? { memory: true } : { dataDir: service.dataDir }
}

const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

function addressOf({ port }: Listening, given: string): string {
  const host = EVERYWHERE[given] ?? given
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The start-up summary, and everything that is allowed and probably not meant. */
function tellSettings({ config, log, signer, licenses, storage }: ControlPlane): void {
  log.info({ settings: configSummary(config) }, 'settings in force')
  for (const warning of config.warnings) log.warn({ warning }, 'doubtful setting')
  for (const [group, faults] of Object.entries(config.faults)) {
    log.warn({ group, faults }, 'bad settings close this feature')
  }
  for (const fault of signer.faults) log.warn({ fault }, 'bad signing key')
  if (signer.status === 'unset') {
    log.warn({}, 'SERVICE_LICENSE_PRIVKEY is not set: activation answers 503; svc mint-key makes a key')
  }
  if (licenses.mode === 'development') {
    log.warn(
      {},
      'development rules: any license key is accepted; set NODE_ENV=production or SERVICE_LICENSE_KEYS',
    )
  }
  if (storage.kind === 'pglite-memory') {
    log.warn(
      {},
      'everything is in memory and ends with this process: set DATABASE_URL or --data-dir to keep it',
    )
  }
}
