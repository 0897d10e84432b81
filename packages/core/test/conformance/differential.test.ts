// The fake and a database get the same calls and must give the same answers: a fake that is kinder than the
// database is a bug of the fake. This suite runs a few sequences, the same every time, on both databases; in
// the pipeline `npm run conform` runs 2,000 on PGlite (test/README.md).
import { describe, expect, it } from '@jest/globals'
import { memoryStorage } from '@svc/testing'
import fc from 'fast-check'
import { POSTGRES } from '../platform/storage/backends.ts'
import { type Database, pgliteDatabase, postgresDatabase } from './database.ts'
import { portsOf } from './port-methods.ts'
import { asked, runBoth, sequences } from './sequence.ts'

/** Sequences on the fake alone, which take milliseconds each. */
const RUNS_ALONE = 400
const SEED = 1
/** Time limit: a sequence takes a tenth of a second, and ten times that on a busy machine. */
const PATIENCE_MS = 120_000

const DATABASES: readonly (readonly [string, number, () => Promise<Database>])[] = [
  ['PGlite', 5, pgliteDatabase],
  [POSTGRES, 20, postgresDatabase],
]

describe('the fake storage', () => {
  it.each(DATABASES)(
    'answers every command of random sequences as %s does, and holds the same in the end',
    async (_, numRuns, open) => {
      await using database = await open()
      const property = fc.asyncProperty(sequences, (commands) => runBoth(database, commands))
      await fc.assert(property, { numRuns, seed: SEED, includeErrorInReport: true })
    },
    PATIENCE_MS,
  )

  it('is asked everything that its ports can do by such sequences', async () => {
    const empty = async () => {}
    const property = fc.asyncProperty(sequences, (commands) => {
      const twin = memoryStorage()
      return runBoth({ storage: twin, empty, [Symbol.asyncDispose]: empty }, commands)
    })
    await fc.assert(property, { numRuns: RUNS_ALONE, seed: SEED })
    const all = portsOf().flatMap(({ name, methods }) => methods.map((method) => `${name}.${method}`))
    expect(all.filter((method) => !asked.has(method))).toEqual([])
  })
})
