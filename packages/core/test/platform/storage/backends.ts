import type { Storage } from '@svc/core'
import { memoryStorage, pgliteStorage, postgresStorage } from '@svc/testing'
import { sample } from '../../../../../test/support/sample.ts'

/** A contract suite: registers its tests for one storage under the name it is given. */
export type Contract = (name: string, open: () => Promise<Storage>) => void

/** The address of the server for the databases of the run. */
export const SERVER = process.env.SVC_TEST_POSTGRES ?? ''
/** The server's name in titles. */
export const POSTGRES = `PostgreSQL ${process.env.SVC_TEST_POSTGRES_VERSION}`

/** PGlite runs the statements of PostgreSQL, and slower, so a run tries a part of the contracts on it. */
const PGLITE_PARTS = 3

// The length of the name spreads contracts over the parts.
const isTriedOnPglite = ({ name }: Contract) =>
  sample([0, 1, 2], PGLITE_PARTS).includes(name.length % PGLITE_PARTS)

/** Runs a contract on every storage. */
export function onEveryStorage(contract: Contract): void {
  contract('memory', async () => memoryStorage())
  if (isTriedOnPglite(contract)) contract('PGlite', pgliteStorage)
  contract(POSTGRES, () => postgresStorage(SERVER))
}
