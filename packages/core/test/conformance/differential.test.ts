// The fake and a database are asked the same, and must answer the same: a fake that is kinder than the database is a
// bug of the fake. A sequence costs 70 to 120 ms on PGlite (some 120 statements), so the ordinary run takes 150 and stays
// under a minute. `CONFORMANCE_RUNS=2000` is the programme's figure, `CONFORMANCE_STORAGE=postgresql` asks the server
// instead, and `CONFORMANCE_SEED` repeats a run that failed.
import { afterAll, beforeAll, describe, it } from '@jest/globals'
import fc from 'fast-check'
import { type Database, pgliteDatabase, postgresDatabase } from './database.ts'
import { runBoth, sequences } from './sequence.ts'

const RUNS = Number(process.env.CONFORMANCE_RUNS ?? 150)
// The ordinary run is the same every time; a longer one draws a new seed unless it is given.
const SEED = process.env.CONFORMANCE_SEED ?? (process.env.CONFORMANCE_RUNS === undefined ? '1' : undefined)
const isServer = process.env.CONFORMANCE_STORAGE === 'postgresql'
const START_MS = 10_000
const RUN_MS = 2000

let database: Database
beforeAll(async () => {
  database = await (isServer ? postgresDatabase() : pgliteDatabase())
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
})

describe(`the fake storage beside ${isServer ? 'PostgreSQL' : 'PGlite'}`, () => {
  it(
    `answers the same to every command of ${RUNS} random sequences, and holds the same in the end`,
    async () => {
      const property = fc.asyncProperty(sequences, (commands) => runBoth(database, commands))
      const seed = SEED === undefined ? {} : { seed: Number(SEED) }
      await fc.assert(property, { numRuns: RUNS, includeErrorInReport: true, ...seed })
    },
    START_MS + RUNS * RUN_MS,
  )
})
