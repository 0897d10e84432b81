import type { Storage } from '@svc/core'
import { memoryStorage, pgliteStorage, postgresStorage } from '@svc/testing'

/** A contract suite: registers its tests for one storage under the name it is given. */
export type Contract = (name: string, open: () => Promise<Storage>) => void

/** The server that the run's databases are made on. */
export const SERVER = process.env.SVC_TEST_POSTGRES ?? ''
/** How titles name it. */
export const POSTGRES = `PostgreSQL ${process.env.SVC_TEST_POSTGRES_VERSION}`

/** Runs a contract on every storage that keeps it. */
export function onEveryStorage(contract: Contract): void {
  contract('memory', async () => memoryStorage())
  contract('PGlite', pgliteStorage)
  contract(POSTGRES, () => postgresStorage(SERVER))
}
