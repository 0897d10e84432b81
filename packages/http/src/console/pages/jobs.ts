import { duration } from '@svc/core/adapters'
import { byId, type RowAction } from '../actions.ts'
import { host, NOTHING, type Row, state } from '../cells.ts'
import { detailPage, section } from '../detail.ts'
import { html } from '../html.ts'
import { type ListColumn, listPage, thingColumn } from '../listing.ts'
import { logView } from '../log-view.ts'
import type { Page } from '../pages.ts'
import type { Visit } from '../visit.ts'

const isOver = (job: Row): boolean => job.state === 'succeeded' || job.state === 'failed'

/** How long a job has run, or ran. */
const took: ListColumn = {
  title: 'Took',
  isNumber: true,
  of: (job, { now }) => {
    const from = job.started_at ?? job.claimed_at
    if (job.state === 'pending' || typeof from !== 'number') return NOTHING
    return duration((typeof job.finished_at === 'number' ? job.finished_at : now) - from)
  },
}

const cancel: RowAction = {
  operation: 'jobs.cancel',
  title: 'Cancel',
  input: (job) => (isOver(job) || job.cancel_requested_at !== undefined ? undefined : byId('job')(job)),
}
const retry: RowAction = {
  operation: 'jobs.retry',
  title: 'Retry',
  atOnce: true,
  input: (job) => (isOver(job) ? byId('job')(job) : undefined),
}

/** Columns of jobs, wherever some are listed. */
export const JOB_COLUMNS: readonly ListColumn[] = [
  thingColumn('Job', 'jobs'),
  'kind',
  'app',
  {
    title: 'State',
    of: (job, visit) => [
      state(job.state, visit, job),
      job.cancel_requested_at !== undefined && !isOver(job) && ' cancelling',
    ],
  },
  {
    title: 'Host',
    of: (job, visit) => {
      const fingerprint = job.claimed_by ?? job.target
      return fingerprint === undefined ? 'any' : host(fingerprint, visit, job)
    },
  },
  'created_at',
  took,
  {
    title: 'Reason',
    of: (job) => html`<span class="reason">${job.error === undefined ? '' : String(job.error)}</span>`,
  },
]

const why = async (visit: Visit, job: Row) => {
  if (job.state !== 'pending') return undefined
  const { reasons } = await visit.run('jobs.why', { job: job.id })
  const texts = (reasons as readonly Row[]).map(({ text }) => html`<li>${String(text)}</li>`)
  return section('Why it waits', html`<ul>${texts}</ul>`)
}

export const jobPages: readonly Page[] = [
  listPage({
    path: 'jobs',
    title: 'Jobs',
    operation: 'jobs.list',
    rows: 'jobs',
    filters: ['state', 'kind', 'app', 'host', 'license'],
    columns: JOB_COLUMNS,
    make: { 'jobs.enqueue': 'New job' },
    empty: { says: 'No job yet.', command: 'svc jobs enqueue deploy --payload payload.json' },
  }),
  detailPage({
    path: 'jobs/{job}',
    operation: 'jobs.show',
    thing: 'job',
    title: (job) => [job.kind, job.app].filter((word) => word !== undefined).join(' '),
    first: [
      'state',
      'error',
      'exit_code',
      'id',
      'license_id',
      'claimed_by',
      'target',
      'created_at',
      'started_at',
      'finished_at',
    ],
    without: ['kind', 'app'],
    actions: [cancel, retry],
    shows: (job) => [`job:${job.id}`, ...(isOver(job) ? [] : ['log'])],
    sections: async (visit, job, { log_lines, log_gone }) =>
      html`${await why(visit, job)}${await logView(visit, String(job.id), Number(log_lines), log_gone === true)}`,
  }),
]
