import type { JobView } from '@svc/core'
import { given, type Handler } from '../../program/call.ts'
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
export const listJobs: Handler<ListOptions> = async (call) => {
  const { state, host, license, app, limit } = call.options
  const filter = { state, host, license, app }
  const input = given({ ...filter, limit: wholeNumber('--limit', limit) })
  const answer = await call.operate<{ jobs: readonly JobView[] }>('jobs.list', input)
  call.print(answer, (page) => jobsTable(answer.jobs, page))
  if (answer.jobs.length > 0) return
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  call.hint(
    isFiltered ? 'No jobs match.' : 'No jobs yet: svc jobs enqueue KIND --license ID gives hosts work.',
  )
}
