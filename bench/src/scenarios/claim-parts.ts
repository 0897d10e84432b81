import { migrate } from '@svc/core/sql'
import { addLicenses, type Fleet } from '../fleet.ts'
import { loopVariant } from '../loop-variant.ts'
import type { ClaimsOptions } from '../parts/claims.ts'
import type { Variant } from '../scenario.ts'
import { seedJobs } from '../seed-jobs.ts'
import { expectCount } from '../served.ts'

/** The names of the ways, as tables show them. */
export const CLAIM_WAYS = {
  svc: 'svc in process',
  look: 'the look of svc in batches, nothing else',
  single: 'one prepared statement',
  transaction: 'begin, select, update, commit',
  nothing: 'select 1',
} as const

/** A way to claim, and the work to be claimed. */
export interface ClaimWay {
  readonly way: ClaimsOptions['way']
  readonly fleet: Fleet
  /** Pending jobs at the start; 0: every claim is empty. */
  readonly pending: number
  /** Claims at once, or claims a second. */
  readonly pace: { readonly workers: number } | { readonly rate: number }
}

const SMALL = 20

/** Claims in one process against a database of its own. */
export const claims = ({ way, fleet, pending, pace }: ClaimWay): Variant =>
  loopVariant({
    name: CLAIM_WAYS[way],
    request: pace,
    start: async (bench) => {
      const databaseUrl = await bench.database()
      await migrate(databaseUrl)
      await addLicenses(databaseUrl, fleet)
      const count = bench.isSmall ? Math.ceil(pending / SMALL) : pending
      if (pending > 0) await seedJobs(databaseUrl, [{ name: 'a', count, licenses: fleet.licenses }])
      const part = await bench.part('claims', { way, databaseUrl, fleet, hits: pending > 0 })
      const check = (counted: number) =>
        expectCount(
          databaseUrl,
          `select count(*) from jobs where state = 'claimed'`,
          pending > 0 ? counted : 0,
        )
      return { part, check }
    },
  })
