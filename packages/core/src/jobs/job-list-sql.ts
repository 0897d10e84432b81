import type { Rows } from '../database/session.ts'
import { maybeInstant } from '../database/values.ts'
import { firstIdAt } from '../ids.ts'
import { HELD_BY_INDEX, LISTED, type ListedRow, toListedJob, UNFINISHED } from './job-row-sql.ts'
import type { JobFilter, ListedJob } from './jobs-store.ts'

// An end of the id that is not asked for is no condition: the planner would expect so few rows that it read
// and sorted all jobs of a license, in place of the newest by their index.
const FILTER = `($1::text is null or j.state = $1) and ($2::text is null or j.target = $2 or j.claimed_by = $2)
    and ($3::text is null or j.app = $3) and ($4::text is null or j.kind = $4)
    and ($7 = '' or right(j.id, length($7)) = $7)`
const RANGE = 'j.id >= $5 and j.id < $6'
// A bound that stands in every statement, so that one plan serves with and without it.
const AFTER_ALL = 'z'
// Payloads are left in their place: the large ones lie out of line, and a list never reads them.
const COLUMNS = LISTED.join(', ')
const LIST = {
  name: 'job-list',
  text: `select ${COLUMNS} from jobs j where ${FILTER} and ${RANGE} order by id desc limit $8`,
}
// Each part has its index: each claim would have to write to an index of all jobs of a license. Held jobs are
// few and stay unordered (`offset 0`: otherwise the planner would walk over all jobs in id order).
const PARTS = [
  {
    which: `j.${UNFINISHED} and j.claimed_by is null`,
    states: 'pending',
    newest: `and ${RANGE} order by id desc limit $8`,
  },
  { which: HELD_BY_INDEX, states: 'claimed,running', newest: 'offset 0' },
  {
    which: 'j.finished_at is not null',
    states: 'succeeded,failed',
    newest: `and ${RANGE} order by id desc limit $8`,
  },
]
/** The newest jobs of some licenses. */
export const LIST_OF_LICENSES = {
  name: 'job-list-of-licenses',
  text: `select of_license.* from unnest($9::text[]) license (named), lateral (${PARTS.map(
    ({
      which,
      states,
      newest,
    }) => `(select ${COLUMNS} from jobs j where j.license_id = license.named and ${which}
      and ($1::text is null or $1 = any ('{${states}}')) and ${FILTER} ${newest})`,
  ).join(' union all ')}) of_license
    where ${RANGE.replaceAll('j.', '')} order by id desc limit $8`,
}
const LAST_CLAIM = {
  name: 'job-last-claim',
  text: `select max(claimed_at) as at from (
    ${PARTS.map(({ which }) => `select claimed_at from jobs j where license_id = $1 and ${which}`).join(' union all ')}) claimed`,
}

/** Jobs by filter, newest first. */
export async function list(rows: Rows, filter: JobFilter): Promise<readonly ListedJob[]> {
  const { licenseIds, state, host, app, kind, since, before = AFTER_ALL, idEnd = '', limit } = filter
  const from = since === undefined ? '' : firstIdAt('job', since)
  const asked = [state, host, app, kind, from, before, idEnd, limit]
  const found =
    licenseIds === undefined
      ? await rows<ListedRow>(LIST, asked)
      : await rows<ListedRow>(LIST_OF_LICENSES, [...asked, licenseIds])
  return found.map(toListedJob)
}

/** When a host of the license last took a job. */
export async function lastClaim(rows: Rows, licenseId: string): Promise<Date | undefined> {
  const [row] = await rows<{ at: string | null }>(LAST_CLAIM, [licenseId])
  return maybeInstant(row?.at ?? null)
}
