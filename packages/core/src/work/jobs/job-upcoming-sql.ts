import type { Rows } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import type { JobKind } from './job.ts'
import { UNFINISHED } from './job-row-sql.ts'
import type { UpcomingJob, WaitedQueue } from './jobs-store.ts'

// A range scan of the queue's index for each queue, as in the claim. Kinds go as one text, since an array of
// arrays has one length.
const UPCOMING = {
  name: 'job-upcoming',
  text: `select q.license_id, q.target, j.kind,
      greatest(0, ceil(1000 * extract(epoch from case when j.available_at <= q.at then q.at else j.available_at end - q.at)))::float8 as in_ms
    from (select *, ${at('$6')} as at from unnest($1::text[], $2::text[], $3::text[], $4::int[])
      as asked (license_id, target, kinds, most)) q
    cross join lateral (select kind, available_at from jobs where license_id = q.license_id and target = q.target
      and ${UNFINISHED} and available_at <= q.at + make_interval(secs => $5)
      and (q.kinds is null or kind = any (string_to_array(q.kinds, ' ')))
      order by available_at, id limit q.most) j`,
}

interface UpcomingRow {
  readonly license_id: string
  readonly target: string
  readonly kind: JobKind
  readonly in_ms: number
}

/** The first jobs of each queue that are due within `seconds`. */
export async function upcoming(
  rows: Rows,
  queues: readonly WaitedQueue[],
  seconds: number,
  now: Date | undefined,
): Promise<readonly UpcomingJob[]> {
  if (queues.length === 0) return []
  const found = await rows<UpcomingRow>(UPCOMING, [
    queues.map(({ licenseId }) => licenseId),
    queues.map(({ target }) => target),
    queues.map(({ kinds }) => kinds?.join(' ') ?? null),
    queues.map(({ most }) => most),
    seconds,
    now,
  ])
  return found.map((row) => ({
    licenseId: row.license_id,
    target: row.target,
    kind: row.kind,
    inMs: row.in_ms,
  }))
}
