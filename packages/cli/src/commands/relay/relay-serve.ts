import {
  type Config,
  type ControlPlane,
  createControlPlane,
  type Log,
  Problem,
  publicKeySet,
  readConfig,
  verificationKeys,
} from '@svc/core'
import { MemoryLedger, relaySignerOf } from '@svc/core/adapters'
import { databaseServer, openStorage } from '@svc/core/sql'
import { createRelayApp, listen } from '@svc/http'
import type { Handler } from '../../program/command-run.ts'
import { servedRelay } from '../../relay/served-relay.ts'
import { EXIT, type ExitCode } from '../../terminal/failure.ts'
import { openLog } from '../../terminal/log.ts'
import { connectionLimit } from '../serve/connection-limit.ts'
import { logSettingWarnings } from '../serve/start-report.ts'
import { stopRequest } from '../serve/stop-request.ts'

/** Flags of `svc relay serve`. */
export interface RelayServeOptions {
  readonly listen?: string
}

/** How long connections may take beyond the time for sessions, once the relay drains. */
const DRAIN_ROOM_MS = 5000

/** Serves a relay of its own until a signal or a fault. */
export const serveRelay: Handler<RelayServeOptions> = async ({ io, options }): Promise<ExitCode> => {
  io.keepPrivate()
  const config = readConfig({ ...io.env, ...placeOf(options.listen) })
  const log = openLog(io, config.service.logLevel)
  const stop = stopRequest(io, log)
  try {
    const server = databaseServer(config)
    await using storage = await openStorage(
      server === undefined ? { memory: true } : { ...server, poolSize: config.database.pool },
    )
    const plane = createControlPlane({ config, storage, log })
    logSettingWarnings(plane)
    await using _served = await served(plane, server !== undefined)
    return (await stop.asked) === 'signal' ? EXIT.done : EXIT.failed
  } finally {
    stop.release()
  }
}

async function served(plane: ControlPlane, hasDatabase: boolean): Promise<AsyncDisposable> {
  const { config, log, clock, health } = plane
  const { relay, http } = config
  if (relay.urls.length === 0 || config.faults.relay !== undefined) throw lacking(config)
  const drainMs = 1000 * relay.drainSeconds
  const ledger = hasDatabase ? plane.relayLedger : new MemoryLedger(clock)
  const { routes } = servedRelay(plane, { keys: keysOf(config), ledger, drainMs })
  const listening = await listen(createRelayApp(plane, routes), {
    host: http.host,
    port: http.port,
    health,
    log,
    maxConnections: await connectionLimit(config),
    drainDelayMs: 1000 * config.service.drainDelaySeconds,
    drainDeadlineMs: drainMs + DRAIN_ROOM_MS,
  })
  tell(log, hasDatabase, { url: listening.url, relay: relay.urls })
  return { [Symbol.asyncDispose]: async () => void (await listening.drain()) }
}

function tell(log: Log, hasDatabase: boolean, facts: object): void {
  if (!hasDatabase)
    log.warn(
      {},
      'no DATABASE_URL: used tickets are remembered here alone, sessions are not noted, and svc ssh revoke has no effect',
    )
  log.info({ ...facts }, 'relaying')
}

function keysOf(config: Config): ReturnType<typeof verificationKeys> {
  const { verifyKeys } = config.relay
  const keys = verificationKeys(
    verifyKeys.length > 0 ? publicKeySet(verifyKeys) : relaySignerOf(config).jwks(),
  )
  if (keys.size > 0) return keys
  throw new Problem('signing-not-configured', {
    detail:
      'a relay needs the public keys of the control plane: set RELAY_VERIFY_KEYS to the output of svc relay keys there',
  })
}

const lacking = ({ faults }: Config): Problem =>
  new Problem('invalid-input', {
    detail:
      'a relay needs to know its own address: set RELAY_URL to the wss:// URL under which it is reached',
    details: faults.relay ?? [],
  })

function placeOf(listen: string | undefined): Record<string, string> {
  if (listen === undefined) return {}
  const [, host = '', port = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(listen) ?? []
  if (port === '') throw new Problem('invalid-input', { detail: '--listen takes HOST:PORT' })
  return { PORT: port, ...(host === '' ? {} : { SERVICE_HOST: host.replace(/^\[|\]$/g, '') }) }
}
