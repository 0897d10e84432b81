import { withClient } from './fleet.ts'

/** Jobs that wait, written without the product: a million of them in seconds. */
export interface SeedJobs {
  /** Written into ids, so that two calls do not collide. */
  readonly name: string
  readonly count: number
  /** Job `n` belongs to license `n % licenses`. */
  readonly licenses: number
  /** Aimed at hosts that nobody plays. Default: any host. */
  readonly forOthers?: boolean
}

const SEED = `insert into jobs (id, license_id, kind, payload, target, max_attempts, timeout_seconds, available_at)
  select 'job_' || $1::text || lpad(n::text, 20, '0'), 'lic_' || lpad((n % $3::int)::text, 26, '0'), 'prune',
    '{"older_than_seconds": 86400}', case when $4::boolean then 'nobody-' || n % 1000 else '' end, 3, 3600,
    now() - interval '1 hour' + n * interval '1 millisecond'
  from generate_series(0, $2::int - 1) as n`

/** Writes pending jobs into a migrated database. */
export async function seedJobs(url: string, seeds: readonly SeedJobs[]): Promise<void> {
  await withClient(url, async (client) => {
    for (const { name, count, licenses, forOthers = false } of seeds) {
      await client.query(SEED, [name, count, licenses, forOthers])
    }
    await client.query('vacuum analyze jobs')
  })
}
