import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { Problem, readConfig } from '@svc/core'
import { requireTrustedSocket, trustedFolder } from '@svc/core/client'
import { databaseServer, type ExportPlace } from '@svc/core/sql'
import type { Io } from '../terminal/io.ts'
import { plain } from '../terminal/terminal.ts'
import { type ConnectOptions, controlSocketPath, reachOf } from './connect.ts'
import { controlClient } from './control-client.ts'
import { databaseName } from './in-process.ts'

/** A database that this process works on itself. */
export interface DatabasePlace extends AsyncDisposable {
  readonly place: ExportPlace
  /** The data folder; undefined for a server. */
  readonly dataDir: string | undefined
}

/**
 * The database to read from. If its data folder is served, the server makes a copy, which is deleted on
 * disposal: the database is read as of the copy, and the server goes on.
 * @throws Problem `invalid-input` for a remote control plane, `unavailable` when there is no database
 */
export async function placeToRead(io: Io, options: ConnectOptions): Promise<DatabasePlace> {
  const reach = await reachOf(io, options)
  if (reach.by === 'url') throw remote(reach.url)
  if (reach.by === 'database') return serverPlace(io)
  const dataDir = await trustedFolder(reach.dataDir)
  const client = await servedFolder(io, dataDir)
  if (client !== undefined) {
    const copy = join(dataDir, basename(await client.copy()))
    const dispose = () => rm(copy, { recursive: true, force: true })
    return { place: { dataDir: copy }, dataDir, [Symbol.asyncDispose]: dispose }
  }
  if (!existsSync(join(dataDir, 'database'))) {
    throw new Problem('unavailable', { detail: `${dataDir} holds no database` })
  }
  return { place: { dataDir }, dataDir, [Symbol.asyncDispose]: async () => {} }
}

/**
 * The database to fill; a data folder may be absent.
 * @throws Problem `invalid-input` for a remote control plane, `conflict` when the folder is served
 */
export async function placeToFill(io: Io, options: ConnectOptions): Promise<DatabasePlace> {
  const { dataDir: named } = options
  const reach =
    named === undefined
      ? await reachOf(io, options)
      : { by: 'folder' as const, dataDir: resolve(io.cwd, named) }
  if (reach.by === 'url') throw remote(reach.url)
  if (reach.by === 'database') {
    io.err.write(`${plain(`on ${databaseName(io)}`)}\n`)
    return serverPlace(io)
  }
  const { dataDir } = reach
  if (existsSync(dataDir) && (await servedFolder(io, await trustedFolder(dataDir))) !== undefined) {
    throw new Problem('conflict', { detail: `a service runs with ${dataDir}: stop it first` })
  }
  return { place: { dataDir }, dataDir, [Symbol.asyncDispose]: async () => {} }
}

async function servedFolder(io: Io, dataDir: string) {
  const socketPath = controlSocketPath(io.cwd, dataDir)
  await requireTrustedSocket(resolve(io.cwd, socketPath))
  return controlClient(socketPath, io.actor)
}

function serverPlace(io: Io): DatabasePlace {
  const place = databaseServer(readConfig(io.env))
  if (place === undefined)
    throw new Problem('unavailable', { detail: 'no database is named: set DATABASE_URL' })
  return { place, dataDir: undefined, [Symbol.asyncDispose]: async () => {} }
}

const remote = (url: string): Problem =>
  new Problem('invalid-input', {
    detail: `this works on the database itself, not over ${url}: name it with --data-dir, or with DATABASE_URL and without SERVICE_URL`,
  })
