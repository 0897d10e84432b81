import type { ListedJobView } from '@svc/core'
import { given, type Handler } from '../../program/command-run.ts'
import { hintMore } from '../hint-more.ts'
import { secondOf, wholeNumber } from '../number-option.ts'
import { jobsTable } from './job-table.ts'

/** Flags of `svc jobs list`. */
export interface ListOptions {
  readonly state?: string
  readonly kind?: string
  readonly host?: string
  readonly license?: string
  readonly tenant?: string
  readonly app?: string
  readonly since?: string
  readonly limit?: string
  readonly cursor?: string
}

/** Lists jobs, newest first. */
export const listJobs: Handler<ListOptions> = async (run) => {
  const { state, kind, host, license, tenant, app, since, limit, cursor } = run.options
  const filter = { state, kind, host, license, tenant, app, since: secondOf('--since', since), cursor }
  const input = given({ ...filter, limit: wholeNumber('--limit', limit) })
  const answer = await run.operate<{ jobs: readonly ListedJobView[]; next_cursor?: string }>(
    'jobs.list',
    input,
  )
  run.print(answer, (page) => jobsTable(answer.jobs, page))
  hintMore(run, answer, answer.jobs.length)
  if (answer.jobs.length > 0 || answer.next_cursor !== undefined) return
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  run.hint(
    isFiltered ? 'No jobs match.' : 'No jobs yet: svc jobs enqueue KIND --license ID gives hosts work.',
  )
}
