import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer } from '@svc/core'
import { Problem, requireTrustedSocket, trustedFolder } from '@svc/core/client'
import type { Io } from '../terminal/io.ts'
import { plain } from '../terminal/terminal.ts'
import { currentContext, keptSession } from './contexts.ts'
import { licenseKeyOf } from './license-key.ts'
import { CHANGING_OPERATIONS } from './operation-summaries.ts'
import { warnOfPlainHttp } from './plain-http.ts'

/** A way to run operations. */
export interface Connection extends AsyncDisposable {
  /** @throws Problem */
  run(name: string, input: Readonly<Record<string, unknown>>): Promise<Answer>
}

/** Flags that name the control plane. */
export interface ConnectOptions {
  readonly url?: string
  readonly key?: string
  readonly keyFile?: string
  readonly dataDir?: string
}

/** The place where operations are run. */
export type Reach =
  | { readonly by: 'url'; readonly url: string }
  | { readonly by: 'database' }
  | { readonly by: 'folder'; readonly dataDir: string }

/** The data folder of `svc up`; commands that are run in the same folder find it by this name. */
export const DEFAULT_DATA_DIR = '.svc'

/**
 * Longest path of a socket that the kernel takes; a path relative to the working folder is usually shorter.
 */
const MAX_SOCKET_PATH_BYTES = 107

/** Returns the path of a running server's socket, in its data folder. */
export function controlSocketPath(cwd: string, dataDir: string): string {
  const path = join(resolve(cwd, dataDir), 'control.sock')
  return Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES ? relative(cwd, path) : path
}

const set = (value: string | undefined): string | undefined => value?.trim() || undefined

/**
 * Decides where operations are run, in one order for every command: flags, `SERVICE_URL`, `DATABASE_URL`,
 * `SERVICE_DATA_DIR`, `./.svc`, the current context of `svc login`.
 * @throws Problem `unavailable` when nothing says where
 */
export async function reachOf(io: Pick<Io, 'cwd' | 'env' | 'home'>, options: ConnectOptions): Promise<Reach> {
  const { cwd, env } = io
  if (options.url !== undefined) return { by: 'url', url: options.url }
  if (options.dataDir !== undefined) return { by: 'folder', dataDir: existing(cwd, options.dataDir) }
  const serviceUrl = set(env.SERVICE_URL)
  if (serviceUrl !== undefined) return { by: 'url', url: serviceUrl }
  if ((set(env.DATABASE_URL) ?? set(env.DATABASE_URL_FILE)) !== undefined) return { by: 'database' }
  const named = set(env.SERVICE_DATA_DIR)
  if (named !== undefined) return { by: 'folder', dataDir: existing(cwd, named) }
  if (existsSync(resolve(cwd, DEFAULT_DATA_DIR))) {
    return { by: 'folder', dataDir: resolve(cwd, DEFAULT_DATA_DIR) }
  }
  const context = await currentContext(io)
  if (context !== undefined) return { by: 'url', url: context.url }
  throw new Problem('unavailable', {
    detail:
      'no control plane is named: say --url or --data-dir, set DATABASE_URL, sign in with svc login, or start one with svc up (it keeps its data in ./.svc)',
  })
}

function existing(cwd: string, folder: string): string {
  const dataDir = resolve(cwd, folder)
  if (existsSync(dataDir)) return dataDir
  throw new Problem('unavailable', {
    detail: `there is no data folder ${dataDir}: svc serve --data-dir ${folder} makes one`,
  })
}

/**
 * Connects as flags and environment say; `licensed` operations may go over the network with a license key.
 */
export async function connect(io: Io, options: ConnectOptions, licensed: boolean): Promise<Connection> {
  const reach = await reachOf(io, options)
  if (reach.by === 'folder') return folderConnection(io, reach.dataDir)
  if (reach.by === 'url') {
    const url = checkedUrl(reach.url)
    const connection = await networkConnection(io, options, url, licensed)
    return options.url === undefined ? naming(io, new URL(url).origin, connection) : connection
  }
  const { databaseName, openPlane } = await import('./in-process.ts')
  return naming(io, databaseName(io), await openPlane(io))
}

/** Says before its first change which control plane it is, if neither a flag nor the folder names it. */
function naming(io: Io, place: string, connection: Connection): Connection {
  let isSaid = false
  return {
    run: (name, input) => {
      if (!isSaid && CHANGING_OPERATIONS.has(name)) io.err.write(`${plain(`on ${place}`)}\n`)
      isSaid ||= CHANGING_OPERATIONS.has(name)
      return connection.run(name, input)
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  }
}

/** The API token of the environment; never an option, since arguments can be read by other users. */
export const apiTokenOf = ({ env }: Pick<Io, 'env'>): string | undefined => set(env.SERVICE_TOKEN)

/**
 * Uses the license key of an option for operations that a license may do, then `SERVICE_TOKEN`, then the
 * license key of the environment, then the session of `svc login`. The token goes to an address that is named
 * beside it, and not to the context of a person.
 */
async function networkConnection(
  io: Io,
  options: ConnectOptions,
  url: string,
  licensed: boolean,
): Promise<Connection> {
  const isKeyNamed = options.key !== undefined || options.keyFile !== undefined
  const isUrlNamed = (options.url ?? set(io.env.SERVICE_URL)) !== undefined
  const token = isUrlNamed && !(licensed && isKeyNamed) ? apiTokenOf(io) : undefined
  const key = licensed && token === undefined ? await licenseKeyOf(io, options) : undefined
  const cookie = (token ?? key) === undefined ? await keptSession(io, new URL(url).origin) : undefined
  const sent = [
    [token, 'the API token'],
    [key, 'the license key'],
    [cookie, 'the session'],
  ].find(([value]) => value !== undefined)?.[1]
  if (sent !== undefined) warnOfPlainHttp(io, url, sent)
  if (token !== undefined || cookie !== undefined) {
    const { remoteClient } = await import('./remote-client.ts')
    return remoteClient(io, url, token === undefined ? { cookie: cookie ?? '' } : { token })
  }
  return (await import('./fleet-client.ts')).fleetClient(url, key)
}

function checkedUrl(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw new Problem('invalid-input', {
    detail: 'the address of the control plane must be an http or https URL',
  })
}

/** How long the handover of a folder from one process to the next may take. */
const HANDOVER_MS = 5000
const LOOK_MS = 100

/**
 * Reaches a served folder through its socket, and opens any other folder here under its lock. A server that
 * has the lock and no socket yet is starting, so this waits for a short time. The folder may be found by
 * chance in the working folder: nothing is sent to a folder that another user has put there.
 */
async function folderConnection(io: Io, folder: string): Promise<Connection> {
  const until = performance.now() + HANDOVER_MS
  const { controlClient } = await import('./control-client.ts')
  const dataDir = await trustedFolder(folder)
  for (;;) {
    const socketPath = controlSocketPath(io.cwd, dataDir)
    await requireTrustedSocket(resolve(io.cwd, socketPath))
    const client = await controlClient(socketPath, io.actor)
    if (client !== undefined) return client
    if (!existsSync(join(dataDir, 'database'))) {
      throw new Problem('unavailable', {
        detail: `nobody serves ${dataDir}, and it holds no database: svc serve --data-dir makes one`,
      })
    }
    try {
      const { openPlane } = await import('./in-process.ts')
      return await openPlane(io, { dataDir })
    } catch (error) {
      const isTaken = error instanceof Problem && error.code === 'conflict'
      if (!isTaken || performance.now() > until) throw error
      await pause(LOOK_MS)
    }
  }
}
