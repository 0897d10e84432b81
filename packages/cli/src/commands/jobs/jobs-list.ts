import type { JobView } from '@svc/core'
import { given, type Handler } from '../../program/command-run.ts'
import { wholeNumber } from '../number-option.ts'
import { jobsTable } from './job-table.ts'

/** Flags of `svc jobs list`. */
export interface ListOptions {
  readonly state?: string
  readonly host?: string
  readonly license?: string
  readonly app?: string
  readonly limit?: string
}

/** Lists jobs, newest first. */
export const listJobs: Handler<ListOptions> = async (run) => {
  const { state, host, license, app, limit } = run.options
  const filter = { state, host, license, app }
  const input = given({ ...filter, limit: wholeNumber('--limit', limit) })
  const answer = await run.operate<{ jobs: readonly JobView[] }>('jobs.list', input)
  run.print(answer, (page) => jobsTable(answer.jobs, page))
  if (answer.jobs.length > 0) return
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  run.hint(
    isFiltered ? 'No jobs match.' : 'No jobs yet: svc jobs enqueue KIND --license ID gives hosts work.',
  )
}
