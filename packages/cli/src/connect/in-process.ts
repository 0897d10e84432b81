import { type Config, createControlPlane, Problem, readConfig } from '@svc/core'
import { databaseServer, openStorage, type StorageSource } from '@svc/core/sql'
import { browserEngine } from '../browser/browser-engine.ts'
import { DOCS_PAGES, docsFolder } from '../shipped.ts'
import type { Io } from '../terminal/io.ts'
import type { Connection } from './connect.ts'

const POOL = 2

/**
 * Runs operations in this process, on the database itself: the one in `folder`, else the server that settings
 * name.
 */
export async function openPlane(io: Io, folder?: { readonly dataDir: string }): Promise<Connection> {
  io.keepPrivate()
  const config = readConfig(io.env)
  const storage = await openStorage(folder ?? serverOf(config))
  const docs = { docsDir: docsFolder(), docsPages: DOCS_PAGES }
  const plane = createControlPlane({ config, storage, browserEngine, serves: false, ...docs })
  return {
    run: (name, input) => plane.operations.run(name, input, io.actor),
    [Symbol.asyncDispose]: async () => {
      await plane.browserWorker[Symbol.asyncDispose]()
      await storage[Symbol.asyncDispose]()
    },
  }
}

/** The database of the settings in words, without a password: `the database svc at db.example:5432`. */
export function databaseName(io: Pick<Io, 'env'>): string {
  const { url } = readConfig(io.env).database
  if (url === undefined || !URL.canParse(url)) return 'the database of DATABASE_URL'
  const { host, pathname } = new URL(url)
  return `the database ${decodeURIComponent(pathname.slice(1))} at ${host || 'this machine'}`
}

function serverOf(config: Config): StorageSource {
  const server = databaseServer(config)
  if (server !== undefined) return { ...server, poolSize: POOL }
  throw new Problem('unavailable', { detail: 'no database is named: set DATABASE_URL' })
}
