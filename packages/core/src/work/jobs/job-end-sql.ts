import type { Rows } from '../../platform/database/session.ts'
import { at } from '../../platform/database/statement-time.ts'
import type { Job } from './job.ts'
import { type LeaseItem, ofKinds } from './job-probe-sql.ts'
import { HELD_BY_INDEX, type JobRow, toJob, UNFINISHED } from './job-row-sql.ts'
import type { SweepResult } from './jobs-store.ts'
import { CANCEL_CONFIRM_SECONDS, lostError, UNCONFIRMED_ERROR } from './lease.ts'

const NOW = at('$2')
const LEASE_OVER = `(available_at <= ${NOW} and (lost + 1 >= max_attempts or cancel_requested_at is not null))`
const CANCEL_OVER = `cancel_requested_at + make_interval(secs => ${CANCEL_CONFIRM_SECONDS}) <= ${NOW}`

// Ownership ends with the job: later requests of its host are answered 404.
const end = (name: string, which: string) => ({
  name,
  text: `with gone as (
      select id, claimed_by as owner from jobs j
      where ${which} and ${HELD_BY_INDEX} and (${LEASE_OVER} or ${CANCEL_OVER})
      order by id for update skip locked
    )
    update jobs j set state = 'failed', finished_at = ${NOW}, claimed_by = null,
      lost = j.lost + (j.cancel_requested_at is null)::int,
      error = case when j.cancel_requested_at is null
        then format($3, 'agt_' || left(gone.owner, 12), j.lost + 1) else $4 end
    from gone where j.id = gone.id returning j.*`,
})

const first = (target: string, fits: string) => `(select id, available_at from jobs
  where license_id = $1 and target = ${target} and ${UNFINISHED} and available_at <= ${NOW}${fits} order by available_at, id limit 1)`

// Two statements, since one job and all jobs need different plans. The second reads the index of held jobs,
// so that a sweep does not read pending ones.
/** Ends the job that has been due longest for a host of a license, if its owner is lost for good. */
const endHeadText = (name: string, fits: string) =>
  end(
    name,
    `id = (select id from (${first("''", fits)} union all ${first('$5', fits)}) head order by available_at, id limit 1)`,
  )
export const END_HEAD = endHeadText('job-end-head', '')
/** The same, of the jobs of certain kinds. */
export const END_HEAD_OF_KINDS = endHeadText('job-end-head-of-kinds', ' and kind = any ($6::text[])')
export const END_ALL = end('job-end-all', '$1::text is null')

export const TIME_OUT = {
  name: 'job-time-out',
  text: `with late as (
      select id from jobs j where ${HELD_BY_INDEX} and cancel_requested_at is null
        and claimed_at + make_interval(secs => timeout_seconds) <= ${at('$1')}
      order by id for update skip locked
    )
    update jobs j set cancel_requested_at = ${at('$1')}, cancel_reason = 'timeout'
    from late where j.id = late.id returning j.*`,
}

// Keys that a pending job of a kind that nobody runs has, while one that hosts run waits behind it. Each is
// passed on by a statement of its own: of several locks at once two sweeps could wait for each other.
const BLOCKED = {
  name: 'job-blocked-keys',
  text: `select license_id, serial_key from jobs h where serial_key is not null and ${UNFINISHED} and contended
      and state = 'pending' and available_at < 'infinity' and not svc_is_run(license_id, kind, target, ${at('$1')})
      and exists (select from jobs w where w.license_id = h.license_id and w.serial_key = h.serial_key
        and w.${UNFINISHED} and w.available_at = 'infinity'
        and svc_place(w.urgent, w.due_at, w.created_at) <= ${at('$1')}
        and svc_is_run(w.license_id, w.kind, w.target, ${at('$1')}))
    limit $2`,
}
const PASS = { name: 'job-pass-key', text: `select svc_serial_pass($1, $2, ${at('$3')})` }

/** Keys that one sweep passes on at most; the next one goes on. */
const MOST_PASSED = 1000

const LOST_FORMAT = lostError('%s', '%s')

/** Ends the job at the head of those that a host may take, if its owner is lost for good. */
export async function endHead(rows: Rows, item: LeaseItem): Promise<Job[]> {
  const { request, now } = item
  const { licenseId, fingerprint } = request
  const params = [licenseId, now, LOST_FORMAT, UNCONFIRMED_ERROR, fingerprint]
  const [statement, ...kinds] = ofKinds([item], END_HEAD, END_HEAD_OF_KINDS)
  return (await rows<JobRow>(statement, [...params, ...kinds])).map(toJob)
}

/**
 * Asks jobs past their timeout to stop, ends jobs whose owner is lost for good, and takes serial keys from
 * jobs that nobody runs.
 */
export async function sweep(rows: Rows, now: Date | undefined): Promise<SweepResult> {
  const timedOut = await rows<JobRow>(TIME_OUT, [now])
  const ended = await rows<JobRow>(END_ALL, [undefined, now, LOST_FORMAT, UNCONFIRMED_ERROR])
  const blocked = await rows<{ license_id: string; serial_key: string }>(BLOCKED, [now, MOST_PASSED])
  for (const { license_id, serial_key } of blocked) await rows(PASS, [license_id, serial_key, now])
  return { timedOut: timedOut.map(toJob).sort(byId), ended: ended.map(toJob).sort(byId) }
}

const byId = (one: Job, other: Job) => (one.id < other.id ? -1 : 1)
