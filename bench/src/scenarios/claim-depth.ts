import { migrate } from '@svc/core/sql'
import pg from 'pg'
import type { Bench } from '../bench.ts'
import { addLicenses, withClient } from '../fleet.ts'
import { loopVariant } from '../loop-variant.ts'
import type { Done, Scenario, Variant } from '../scenario.ts'
import { type SeedJobs, seedJobs } from '../seed-jobs.ts'

const SHALLOW = '1,000 pending in one license'
const DEEP = '1,000,000 pending in one license'
const EMPTY = 'nothing pending'
const FOREIGN = '100,000 pending for other hosts of the license'
const BEHIND = '1,000 pending behind 12,000 claimed beside a snapshot that stays open'
const DONE = 'nothing pending behind 12,000 claimed beside a snapshot that stays open'
const CLAIMED = 12_000
/** Claims per round in queues with work: few, so that the shallow queue lasts. */
const CLAIMS = 100
const SMALL = 20
const FLEET = { hosts: 1, licenses: 1 }

interface ServerCost {
  readonly micros: number
  readonly buffers: number
}

/** Returns the time and buffers that PostgreSQL itself counted for statements about jobs in a database. */
async function serverCost(bench: Bench, url: string): Promise<ServerCost> {
  const [row] = await (await bench.postgres()).query<ServerCost>(
    `select coalesce(sum(total_exec_time * 1000), 0)::float8 as micros,
      coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as buffers
    from pg_stat_statements s join pg_database d on d.oid = s.dbid where d.datname = $1 and s.query like '%jobs%'`,
    [new URL(url).pathname.slice(1)],
  )
  return row ?? { micros: 0, buffers: 0 }
}

// Opens a snapshot as a dump does. While it is open, vacuum cannot remove the old versions of rows claimed
// since.
const SNAPSHOT = 'begin isolation level repeatable read'
const CLAIM_ALL = `update jobs set state = 'claimed', claimed_by = 'another', claimed_at = now(), attempt = 1,
  available_at = now() + interval '1 day'`

async function claimedBesideSnapshot(url: string, count: number): Promise<pg.Client> {
  const dump = new pg.Client({ connectionString: url })
  await dump.connect()
  await seedJobs(url, [{ name: 'claimed', count, licenses: 1 }])
  await dump.query(SNAPSHOT)
  await dump.query('select count(*) from jobs')
  await withClient(url, (client) => client.query(CLAIM_ALL))
  return dump
}

interface Waiting {
  readonly count: number
  readonly forOthers?: boolean
  /** Jobs that others have claimed since a snapshot was opened. */
  readonly claimed?: number
}

const queue = (name: string, { count, forOthers = false, claimed = 0 }: Waiting): Variant => ({
  name,
  start: async (bench) => {
    const url = await bench.database()
    await migrate(url)
    await addLicenses(url, FLEET)
    const dump =
      claimed > 0 ? await claimedBesideSnapshot(url, bench.isSmall ? claimed / SMALL : claimed) : undefined
    const pending = bench.isSmall && count > 10_000 ? count / SMALL : count
    if (pending > 0)
      await seedJobs(url, [{ name: 'a', count: pending, licenses: 1, forOthers } satisfies SeedJobs])
    const hits = pending > 0 && !forOthers
    const loop = loopVariant({
      name,
      request: hits ? { workers: 1, limit: CLAIMS } : { workers: 1 },
      start: async () => ({
        part: await bench.part('claims', { way: 'svc', databaseUrl: url, fleet: FLEET, hits }),
      }),
    })
    const running = await loop.start(bench)
    return {
      ...running,
      stop: async () => {
        await dump?.end()
        await running.stop()
      },
      work: async (seconds): Promise<Done> => {
        const before = await serverCost(bench, url)
        const done = await running.work(seconds)
        const after = await serverCost(bench, url)
        const { answered = done.operations } = done
        const serverMicros = (after.micros - before.micros) / answered
        return { ...done, figures: { serverMicros, buffers: (after.buffers - before.buffers) / answered } }
      },
    }
  },
})

/** The cost of a claim must not grow with the number of pending jobs. */
export const claimDepth: Scenario = {
  name: 'claim-depth',
  question:
    'The cost of a claim to the server, in its own microseconds and buffers, by what waits in the license',
  variants: [
    queue(SHALLOW, { count: 1000 }),
    queue(DEEP, { count: 1_000_000 }),
    queue(EMPTY, { count: 0 }),
    queue(FOREIGN, { count: 100_000, forOthers: true }),
    queue(BEHIND, { count: 1000, claimed: CLAIMED }),
    queue(DONE, { count: 0, claimed: CLAIMED }),
  ],
  baseline: SHALLOW,
  gates: [
    { goal: 'depth', figure: 'serverMicros', of: DEEP, over: SHALLOW, atMost: 1.3 },
    { goal: 'depth-buffers', figure: 'buffers', of: DEEP, over: SHALLOW, atMost: 1.3 },
    { goal: 'foreign', figure: 'serverMicros', of: FOREIGN, over: EMPTY, atMost: 1.3 },
    // The empty index of the baseline has no page to read, so this goal is a limit instead of a ratio.
    { goal: 'foreign-buffers', figure: 'buffers', of: FOREIGN, atMost: 16 },
  ],
}
