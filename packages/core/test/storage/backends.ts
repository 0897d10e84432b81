import type { Storage } from '@svc/core'
import { memoryStorage, pgliteStorage, postgresStorage } from '@svc/testing'

/** A contract suite: registers its tests for one storage under the name it is given. */
export type Contract = (name: string, open: () => Promise<Storage>) => void

/** The address of the server for the databases of the run. */
export const SERVER = process.env.SVC_TEST_POSTGRES ?? ''
/** The server's name in titles. */
export const POSTGRES = `PostgreSQL ${process.env.SVC_TEST_POSTGRES_VERSION}`

/** Runs a contract on every storage. */
export function onEveryStorage(contract: Contract): void {
  contract('memory', async () => memoryStorage())
  contract('PGlite', pgliteStorage)
  contract(POSTGRES, () => postgresStorage(SERVER))
}
