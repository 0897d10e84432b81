import { spellId } from '@svc/core/ports'
import { withClient } from './fleet.ts'

// Inserts the rows that enqueue stores for a deploy, each job of its own app, so that no job waits for
// another. It is one statement because filling the queue is not measured.
const ADD = `with job as (
    insert into jobs (id, license_id, kind, payload, app, serial_key, deployment_id, max_attempts, timeout_seconds)
    select id, license_id, 'deploy', jsonb_build_object('app', app, 'source', '{"type": "image", "image": "example:1"}'::jsonb),
      app, 'app:' || app, replace(id, 'job_', 'dep_'), 3, 3600
    from unnest($1::text[], $2::text[], $3::text[]) as n (license_id, id, app) returning *)
  insert into deployments (id, license_id, job_id, app, source)
  select deployment_id, license_id, id, app, payload -> 'source' from job`

/**
 * Jobs per statement: each app holds a lock until the transaction ends, and a plan that was made for an empty
 * table would scan all of a full one, so the table is analyzed after each statement.
 */
const CHUNK = 1000

/** Returns a function that adds `count` deploys, dealt out to `licenses` in turns, to a migrated database. */
export function deployAdder(
  databaseUrl: string,
  licenses: readonly string[],
): (count: number) => Promise<void> {
  let made = 0n
  return async (count) => {
    const numbers = Array.from({ length: count }, () => {
      made += 1n
      return made
    })
    for (let from = 0; from < count; from += CHUNK) {
      const chunk = numbers.slice(from, from + CHUNK)
      const owners = chunk.map((number) => licenses[Number(number % BigInt(licenses.length))])
      const ids = chunk.map((number) => spellId('job', Date.now(), number))
      const apps = chunk.map((number) => `app-${number}`)
      await withClient(databaseUrl, async (client) => {
        await client.query(ADD, [owners, ids, apps])
        await client.query('analyze jobs')
      })
    }
  }
}
