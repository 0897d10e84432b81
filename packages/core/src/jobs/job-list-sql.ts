import { maybeInstant, type Rows } from '../database/session.ts'
import type { Job } from './job.ts'
import { HELD_BY_INDEX, type JobRow, toJob, UNFINISHED } from './job-row-sql.ts'
import type { JobFilter } from './jobs-store.ts'

const FILTER = `($1::text is null or j.state = $1) and ($2::text is null or j.target = $2 or j.claimed_by = $2)
    and ($3::text is null or j.app = $3)`
const LIST = {
  name: 'job-list',
  text: `select * from jobs j where ${FILTER} order by id desc limit $4`,
}
// Each part has its index: each claim would have to write to an index of all jobs of a license. Held jobs are
// few and stay unordered (`offset 0`: otherwise the planner would walk over all jobs in id order).
const PARTS = [
  {
    which: `j.${UNFINISHED} and j.claimed_by is null`,
    states: 'pending',
    newest: 'order by id desc limit $4',
  },
  { which: HELD_BY_INDEX, states: 'claimed,running', newest: 'offset 0' },
  { which: 'j.finished_at is not null', states: 'succeeded,failed', newest: 'order by id desc limit $4' },
]
/** The newest jobs of one license. */
export const LIST_OF_LICENSE = {
  name: 'job-list-of-license',
  text: `${PARTS.map(
    ({ which, states, newest }) => `(select * from jobs j where j.license_id = $5 and ${which}
      and ($1::text is null or $1 = any ('{${states}}')) and ${FILTER} ${newest})`,
  ).join(' union all ')} order by id desc limit $4`,
}
const LAST_CLAIM = {
  name: 'job-last-claim',
  text: `select max(claimed_at) as at from (
    ${PARTS.map(({ which }) => `select claimed_at from jobs j where license_id = $1 and ${which}`).join(' union all ')}) claimed`,
}

/** Jobs by filter, newest first. */
export async function list(rows: Rows, filter: JobFilter): Promise<readonly Job[]> {
  const { licenseId, state, host, app, limit } = filter
  const asked = [state, host, app, limit]
  const found =
    licenseId === undefined
      ? await rows<JobRow>(LIST, asked)
      : await rows<JobRow>(LIST_OF_LICENSE, [...asked, licenseId])
  return found.map(toJob)
}

/** When a host of the license last took a job. */
export async function lastClaim(rows: Rows, licenseId: string): Promise<Date | undefined> {
  const [row] = await rows<{ at: string | null }>(LAST_CLAIM, [licenseId])
  return maybeInstant(row?.at ?? null)
}
