import { firstIdAt } from '../../kernel/ids.ts'
import type { Scope } from '../../kernel/scope.ts'
import { idOf } from '../../platform/database/scoped-statement.ts'
import type { Rows, Statement } from '../../platform/database/session.ts'
import { maybeInstant } from '../../platform/database/values.ts'
import { HELD_BY_INDEX, LISTED, type ListedRow, toListedJob, UNFINISHED } from './job-row-sql.ts'
import type { JobFilter, ListedJob } from './jobs-store.ts'

// An end of the id that is not asked for is no condition: the planner would expect so few rows that it read
// and sorted all jobs of a license, in place of the newest by their index.
const FILTER = `($2::text is null or j.state = $2) and ($3::text is null or j.target = $3 or j.claimed_by = $3)
    and ($4::text is null or j.app = $4) and ($5::text is null or j.kind = $5)
    and ($8 = '' or right(j.id, length($8)) = $8)`
const RANGE = 'j.id >= $6 and j.id < $7'
// A bound that stands in every statement, so that one plan serves with and without it.
const AFTER_ALL = 'z'
// Payloads are left in their place: the large ones lie out of line, and a list never reads them.
const COLUMNS = LISTED.join(', ')
// Each part has its index: each claim would have to write to an index of all jobs of a license. Held jobs are
// few and stay unordered (`offset 0`: otherwise the planner would walk over all jobs in id order).
const PARTS = [
  {
    which: `j.${UNFINISHED} and j.claimed_by is null`,
    states: 'pending',
    newest: `and ${RANGE} order by id desc limit $9`,
  },
  { which: HELD_BY_INDEX, states: 'claimed,running', newest: 'offset 0' },
  {
    which: 'j.finished_at is not null',
    states: 'succeeded,failed',
    newest: `and ${RANGE} order by id desc limit $9`,
  },
]
const ofLicenses = (name: string, licenses: string): Statement => ({
  name,
  text: `select of_license.* from (${licenses}) license (named), lateral (${PARTS.map(
    ({
      which,
      states,
      newest,
    }) => `(select ${COLUMNS} from jobs j where j.license_id = license.named and ${which}
      and ($2::text is null or $2 = any ('{${states}}')) and ${FILTER} ${newest})`,
  ).join(' union all ')}) of_license
    where ${RANGE.replaceAll('j.', '')} order by id desc limit $9`,
})
/** The newest jobs of each kind of scope; those of a tenant license by license, each by its index. */
export const LISTS: Readonly<Record<Scope['of'], Statement>> = {
  platform: {
    name: 'job-list-platform',
    text: `select ${COLUMNS} from jobs j where $1::text is null and ${FILTER} and ${RANGE}
      order by id desc limit $9`,
  },
  tenant: ofLicenses('job-list-tenant', 'select id from licenses where tenant_id = $1'),
  license: ofLicenses('job-list-license', 'select $1::text'),
}
const LAST_CLAIM = {
  name: 'job-last-claim',
  text: `select max(claimed_at) as at from (
    ${PARTS.map(({ which }) => `select claimed_at from jobs j where license_id = $1 and ${which}`).join(' union all ')}) claimed`,
}

/** The jobs of a scope by filter, newest first. */
export async function list(rows: Rows, scope: Scope, filter: JobFilter): Promise<readonly ListedJob[]> {
  const { state, host, app, kind, since, before = AFTER_ALL, idEnd = '', limit } = filter
  const from = since === undefined ? '' : firstIdAt('job', since)
  const asked = [idOf(scope), state, host, app, kind, from, before, idEnd, limit]
  return (await rows<ListedRow>(LISTS[scope.of], asked)).map(toListedJob)
}

/** When a host of the license last took a job. */
export async function lastClaim(rows: Rows, licenseId: string): Promise<Date | undefined> {
  const [row] = await rows<{ at: string | null }>(LAST_CLAIM, [licenseId])
  return maybeInstant(row?.at ?? null)
}
