import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { type ClientRequest, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { Problem } from '@svc/core'
import { readSupervisorLine, withSocketPath } from '@svc/core/adapters'
import type { Io } from '../terminal/io.ts'
import type { AppStatus } from './app-status.ts'
import { CONTROL_SOCKET, controlFolder, hostVariables, runtimeFolder } from './apps-folder.ts'
import { isSystemHost, SYSTEM } from './system/places.ts'

/** An order to the supervisor of an apps folder. */
export interface Order {
  readonly path:
    | '/deploy'
    | '/image'
    | '/build'
    | '/packages'
    | '/script'
    | '/tidy'
    | '/adjust'
    | '/expose'
    | '/unexpose'
    | '/db'
    | '/data'
    | '/stop'
    | '/remove'
    | '/run'
    | '/logs'
    | '/status'
  readonly body?: object
  readonly onLine?: (line: string) => void
  /** The bytes that follow the order, for a command that reads them. */
  readonly input?: AsyncIterable<Uint8Array>
}

/** The front and the applications of a supervisor. */
export interface HostStatus {
  readonly port: number
  readonly apps: readonly AppStatus[]
}

/** The supervisor has ended while it carried an order out: nobody knows how far it came. */
export class SupervisorGone extends Problem {
  constructor() {
    super('conflict', { detail: 'the supervisor ended before the order was carried out' })
  }
}

const NOBODY: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'])
/** Errors of a connection that somebody took, and did not end. */
const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE'])

/**
 * Gives an order and waits for its end. Returns the last word; undefined when no supervisor runs.
 * @throws Problem `conflict` with the supervisor's reason, SupervisorGone when it ends before its answer does
 */
export function order(
  apps: string,
  { path, body = {}, onLine = () => {}, input }: Order,
): Promise<string | undefined> {
  return withSocketPath(controlFolder(apps), CONTROL_SOCKET, (socketPath) => {
    const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
    const asked = request({ socketPath, path, method: 'POST' }, (response) => {
      const lines = createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY })
      lines.on('line', (line) => {
        const { kind, text } = readSupervisorLine(JSON.parse(line))
        if (kind === 'said') onLine(text)
        else if (kind === 'done') resolve(text)
        else reject(new Problem('conflict', { detail: text }))
      })
      const broken = () => reject(new SupervisorGone())
      response.once('error', broken)
      // A connection that is cut is an error of both.
      lines.once('error', broken)
      lines.once('close', broken)
    })
    asked.once('error', (error: NodeJS.ErrnoException) => {
      if (NOBODY.has(error.code ?? '')) resolve(undefined)
      else reject(BROKEN.has(error.code ?? '') ? new SupervisorGone() : error)
    })
    if (input === undefined) asked.end(JSON.stringify(body))
    else void sent(asked, body, input).catch(() => {})
    // An answer that is whole needs no further input.
    return promise.finally(() => asked.destroy())
  }).catch((error: NodeJS.ErrnoException) => {
    // A folder that is not there has no supervisor.
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}

async function sent(asked: ClientRequest, body: object, input: AsyncIterable<Uint8Array>): Promise<void> {
  asked.write(`${JSON.stringify(body)}\n`)
  for await (const bytes of input)
    if (!asked.write(bytes)) await Promise.race([once(asked, 'drain'), once(asked, 'close')])
  asked.end()
}

/** The status of a host; undefined when no supervisor runs. */
export async function statusOf(apps: string): Promise<HostStatus | undefined> {
  // One that ends at this moment does not run.
  const text = await order(apps, { path: '/status' }).catch((error: unknown) => {
    if (!(error instanceof SupervisorGone)) throw error
    return undefined
  })
  return text === undefined ? undefined : (JSON.parse(text) as HostStatus)
}

const START_MS = 20_000
const LOOK_MS = 20

/** The supervisor's stderr of this start: it says nothing there unless it fails. */
const errorsFile = (apps: string): string => join(runtimeFolder(apps), 'supervisor.err')

/**
 * Starts the supervisor apart from this process when none runs, and waits until it answers.
 * @throws Problem `unavailable` with its last words when it does not start
 */
export async function ensureSupervisor(
  io: Io,
  apps: string,
  more: readonly string[] = [],
): Promise<HostStatus> {
  if (isSystemHost(apps)) return awaitSupervisor(apps)
  const running = await statusOf(apps)
  if (running !== undefined) return running
  mkdirSync(runtimeFolder(apps), { recursive: true, mode: 0o700 })
  const errors = openSync(errorsFile(apps), 'w', 0o600)
  const child = io.startApart(['host-apps', 'serve', '--apps', apps, ...more], hostVariables(io.env), errors)
  closeSync(errors)
  let hasEnded = false
  child.once('exit', () => {
    hasEnded = true
  })
  return awaitSupervisor(apps, () => hasEnded)
}

/** Waits until the supervisor of an apps folder answers. @throws Problem `unavailable` when it does not */
export async function awaitSupervisor(apps: string, hasEnded = () => false): Promise<HostStatus> {
  const until = performance.now() + START_MS
  // The folder of its socket is for nobody at the moment when systemd makes it.
  let denied: unknown
  // One that ends at once may have met another that was started at the same time.
  for (let late = 0; performance.now() < until && late < 50; late += hasEnded() ? 1 : 0) {
    const status = await statusOf(apps).catch((error: unknown) => {
      denied = error
      return undefined
    })
    if (status !== undefined) return status
    await pause(LOOK_MS)
  }
  if (denied !== undefined) throw denied
  let words = ''
  try {
    words = readFileSync(errorsFile(apps), 'utf8').slice(-500).trim()
  } catch {
    // There is none when another process started it.
  }
  throw new Problem('unavailable', {
    detail: isSystemHost(apps)
      ? `${SYSTEM.unit} does not answer: see systemctl status ${SYSTEM.unit} on the host`
      : `the supervisor of ${apps} does not start${words && `: ${words}`}`,
  })
}
