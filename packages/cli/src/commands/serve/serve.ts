import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Environment, readConfig } from '@svc/core'
import type { Handler } from '../../program/command-run.ts'
import { EXIT, type ExitCode } from '../../terminal/failure.ts'
import type { Io } from '../../terminal/io.ts'
import { openLog } from '../../terminal/log.ts'
import { SIGNING_KEY } from '../up/kept-secret.ts'
import { type RunningService, startService } from './running-service.ts'
import { tellSettings } from './start-report.ts'
import { type StopCause, stopRequest } from './stop-request.ts'

/** Flags of `svc serve`; each stands in for its setting. */
export interface ServeOptions {
  readonly host?: string
  readonly port?: string
  readonly migrate?: boolean
  readonly tick?: string
}

/** Serves until a signal or a fault. */
export const serve: Handler<ServeOptions> = async ({ io, options }): Promise<ExitCode> => {
  io.keepPrivate()
  const { host, port, dataDir, tick } = options
  const settings = { ...io.env, ...flagSettings({ host, port, dataDir, tick }) }
  const config = readConfig({ ...settings, ...keptSigningKey(io.cwd, settings) })
  const log = openLog(io, config.service.logLevel)
  // The signal handlers come before anything is opened, so that a signal during the start ends in order too.
  const stop = stopRequest(io, log)
  try {
    // The schema of a database server is changed only on request: replicas of two releases may share it.
    const mayMigrate = options.migrate === true
    await using service = await startService({ io, config, log, mayMigrate, onLost: stop.fail })
    tellSettings(service.plane)
    return await endService(io, service, await stop.asked)
  } finally {
    stop.release()
  }
}

/** The signing key that `svc up` keeps in the data folder, as a setting, unless the settings name one. */
function keptSigningKey(cwd: string, settings: Environment): Record<string, string> {
  const [dataDir, ...named] = [
    'SERVICE_DATA_DIR',
    'SERVICE_LICENSE_PRIVKEY',
    'SERVICE_LICENSE_PRIVKEY_FILE',
  ].map((name) => settings[name]?.trim())
  if (!dataDir || named.some(Boolean)) return {}
  const path = join(resolve(cwd, dataDir), SIGNING_KEY)
  return existsSync(path) ? { SERVICE_LICENSE_PRIVKEY_FILE: path } : {}
}

/** Flags as the settings they stand in for, so that one table checks both. */
export function flagSettings(flags: {
  readonly host?: string | undefined
  readonly port?: string | undefined
  readonly dataDir?: string | undefined
  readonly tick?: string | undefined
}): Record<string, string> {
  const { host, port, dataDir, tick } = flags
  const named = { SERVICE_HOST: host, PORT: port, SERVICE_DATA_DIR: dataDir, SERVICE_TICK_SECONDS: tick }
  return Object.fromEntries(
    Object.entries(named).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** The longest that a drain may take, beside the delay that was asked for: supervisors kill after 10 s. */
const DRAIN_MS = 9500

/** Drains a service within bounds and returns the command's exit code. */
export async function endService(io: Io, service: RunningService, cause: StopCause): Promise<ExitCode> {
  const { log, config } = service.plane
  const late = setTimeout(
    () => {
      log.error({ open: service.open() }, 'could not drain in time: ending')
      io.exit(EXIT.failed)
    },
    DRAIN_MS + config.service.drainDelaySeconds * 1000,
  )
  try {
    await service[Symbol.asyncDispose]()
  } finally {
    clearTimeout(late)
  }
  return cause === 'signal' ? EXIT.done : EXIT.failed
}
