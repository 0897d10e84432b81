import { firstIdAt } from '../../kernel/ids.ts'
import type { Scope } from '../../kernel/scope.ts'
import { idOf } from '../../platform/database/scoped-statement.ts'
import type { Rows, Statement } from '../../platform/database/session.ts'
import { maybeInstant } from '../../platform/database/values.ts'
import type { JobState } from './job.ts'
import { HELD_BY_INDEX, LISTED, type ListedRow, toListedJob, UNFINISHED } from './job-row-sql.ts'
import type { JobFilter, ListedJob, LookFilter } from './jobs-store.ts'

const IN_STATE = '($2::text is null or j.state = $2)'
// For parts of one state: the planner would expect few of the few, and read and sort them all.
const IN_ANY = '$2::text is not null'
const FILTER = `($3::text is null or j.target = $3 or j.claimed_by = $3)
    and ($4::text is null or j.app = $4) and ($5::text is null or j.kind = $5)`
const RANGE = 'j.id >= $6 and j.id < $7'
const NEWEST = `and ${RANGE} order by id desc limit $8`
// A bound that stands in every statement, so that one plan serves with and without it.
const AFTER_ALL = 'z'
// Payloads are left in their place: the large ones lie out of line, and a list never reads them.
const COLUMNS = LISTED.join(', ')

/** Jobs that an index has, and their order in it. */
interface Part {
  readonly which: string
  readonly inState: string
  readonly newest: string
}
// Each part has its index: each claim would have to write to an index of all jobs of a license. Held jobs are
// few and stay unordered (`offset 0`: otherwise the planner would walk over all jobs in id order).
const WAITING: Part = { which: `j.${UNFINISHED} and j.claimed_by is null`, inState: IN_STATE, newest: NEWEST }
const HELD: Part = { which: HELD_BY_INDEX, inState: IN_STATE, newest: 'offset 0' }
const ENDED: Part = { which: 'j.finished_at is not null', inState: IN_STATE, newest: NEWEST }
const FAILED: Part = { which: 'j.has_failed', inState: IN_ANY, newest: NEWEST }
const ALL = [WAITING, HELD, ENDED]
/** The parts that jobs of a state are in. */
const PARTS: Readonly<Record<JobState, readonly Part[]>> = {
  pending: [{ ...WAITING, inState: IN_ANY }],
  claimed: [HELD],
  running: [HELD],
  succeeded: [ENDED],
  failed: [FAILED],
}
/** Newest jobs among which an end of an id is looked for: it stands for a job that was seen lately. */
const ENDS_SEEN = 50_000

const union = (parts: readonly Part[], owned: string): string =>
  parts
    .map(
      ({ which, inState, newest }) =>
        `(select ${COLUMNS} from jobs j where ${owned} and ${which} and ${inState} and ${FILTER} ${newest})`,
    )
    .join(' union all ')
const merged = (from: string): string =>
  `select of_scope.* from ${from} of_scope where ${RANGE.replaceAll('j.', '')} order by id desc limit $8`
const byLicense = (parts: readonly Part[], licenses: string): string =>
  `select of_scope.* from (${licenses}) license (named), lateral (${union(parts, 'j.license_id = license.named')}) of_scope
    where ${RANGE.replaceAll('j.', '')} order by id desc limit $8`
const OF_TENANT = 'select id from licenses where tenant_id = $1'

/** The newest jobs of each kind of scope; those of a tenant license by license, each by its index. */
const listOf = (
  name: string,
  parts: readonly Part[],
  ofPlatform = merged(`(${union(parts, '$1::text is null')})`),
): Readonly<Record<Scope['of'], Statement>> => ({
  platform: { name: `job-${name}-platform`, text: ofPlatform },
  tenant: { name: `job-${name}-tenant`, text: byLicense(parts, OF_TENANT) },
  license: { name: `job-${name}-license`, text: byLicense(parts, 'select $1::text') },
})
/** The newest jobs of a scope. On the platform the key has all of them in their order. */
export const LISTS = listOf(
  'list',
  ALL,
  `select ${COLUMNS} from jobs j where $1::text is null and ${IN_STATE} and ${FILTER} ${NEWEST}`,
)
/** The newest jobs of a scope in a state. */
export const LISTS_OF_STATE: Readonly<Record<JobState, Readonly<Record<Scope['of'], Statement>>>> = {
  pending: listOf('list-waiting', PARTS.pending),
  claimed: listOf('list-held', PARTS.claimed),
  running: listOf('list-held', PARTS.running),
  succeeded: listOf('list-ended', PARTS.succeeded),
  failed: listOf('list-failed', PARTS.failed),
}
const byEnd = (of: Scope['of'], owned: string, from: string): Statement => ({
  name: `job-list-by-end-${of}`,
  text: `select ${COLUMNS} from (${from} order by id desc limit ${ENDS_SEEN}) j
    where ${owned} and right(j.id, length($9)) = $9 and ${IN_STATE} and ${FILTER} ${NEWEST}`,
})
/** The newest jobs of a scope with an end of their id; a license has an index of its own. */
export const LISTS_BY_END: Readonly<Record<Scope['of'], Statement>> = {
  platform: byEnd('platform', '$1::text is null', 'select * from jobs'),
  tenant: byEnd('tenant', `j.license_id in (${OF_TENANT})`, 'select * from jobs'),
  license: {
    name: 'job-list-by-end-license',
    text: `select of_scope.* from (${ALL.map(
      ({ which }) => `(select ${COLUMNS} from (select * from jobs j where j.license_id = $1 and ${which}
        order by id desc limit ${ENDS_SEEN}) j
      where right(j.id, length($9)) = $9 and ${IN_STATE} and ${FILTER} and ${RANGE})`,
    ).join(' union all ')}) of_scope order by id desc limit $8`,
  },
}
// Each is read from an index alone, in its order.
const lookAt = (name: string, which: string): Readonly<Record<Scope['of'], Statement>> => {
  const ids = (owned: string) =>
    `select id from jobs j where ${owned} and ${which} and id >= $2 and id < $3 order by id desc offset $4 - 1 limit 1`
  const ofLicense = (license: string) => ids(`j.license_id = ${license}`)
  return {
    platform: {
      name: `job-${name}-platform`,
      text: ids('$1::text is null').replace(` and ${ENDED.which}`, ''),
    },
    tenant: {
      name: `job-${name}-tenant`,
      text: `select max(seen.id) as id from (${OF_TENANT}) license (named), lateral (${ofLicense('license.named')}) seen`,
    },
    license: { name: `job-${name}-license`, text: ofLicense('$1') },
  }
}
const LOOKS = lookAt('looked-to', ENDED.which)
const LOOKS_AT_FAILED = lookAt('looked-to-failed', FAILED.which)
/** Newest jobs among which the last claim is looked for: of those that ended, and of those that wait. */
const CLAIMS_SEEN = 100
/** When a host of a license last took a job. */
export const LAST_CLAIM = {
  name: 'job-last-claim',
  text: `select max(claimed_at) as at from (
    select claimed_at from jobs j where license_id = $1 and ${HELD.which} union all
    ${[WAITING, ENDED].map(({ which }) => `(select claimed_at from jobs j where license_id = $1 and ${which} order by id desc limit ${CLAIMS_SEEN})`).join(' union all ')}) claimed`,
}

/** The jobs of a scope by filter, newest first. */
export async function list(rows: Rows, scope: Scope, filter: JobFilter): Promise<readonly ListedJob[]> {
  const { state, host, app, kind, before = AFTER_ALL, idEnd = '', limit } = filter
  const asked = [idOf(scope), state, host, app, kind, fromOf(filter), before, limit]
  if (idEnd !== '') return (await rows<ListedRow>(LISTS_BY_END[scope.of], [...asked, idEnd])).map(toListedJob)
  const lists = state === undefined ? LISTS : LISTS_OF_STATE[state]
  return (await rows<ListedRow>(lists[scope.of], asked)).map(toListedJob)
}

function fromOf({ since, from = '' }: Pick<JobFilter, 'since' | 'from'>): string {
  const first = since === undefined ? '' : firstIdAt('job', since)
  return from > first ? from : first
}

/** The last id of the newest jobs of a scope. */
export async function lookedTo(
  rows: Rows,
  scope: Scope,
  { failed = false, before = AFTER_ALL, ...filter }: LookFilter,
  count: number,
): Promise<string | undefined> {
  const looks = failed ? LOOKS_AT_FAILED : LOOKS
  const asked = [idOf(scope), fromOf(filter), before, count]
  const [row] = await rows<{ readonly id: string | null }>(looks[scope.of], asked)
  return row?.id ?? undefined
}

/** When a host of the license last took a job: one that it has, or one of the newest others. */
export async function lastClaim(rows: Rows, licenseId: string): Promise<Date | undefined> {
  const [row] = await rows<{ at: string | null }>(LAST_CLAIM, [licenseId])
  return maybeInstant(row?.at ?? null)
}
