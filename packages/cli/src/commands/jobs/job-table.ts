import type { JobView, ListedJobView } from '@svc/core'
import { duration } from '../../terminal/duration.ts'
import { idColumn } from '../../terminal/id-column.ts'
import { ago, facts, instant, type Page, stateColour, table } from '../../terminal/render.ts'

const FINGERPRINT_CHARS = 12
const hostId = (fingerprint: string | undefined): string | undefined =>
  fingerprint === undefined ? undefined : `agt_${[...fingerprint].slice(0, FINGERPRINT_CHARS).join('')}`

/** Whether the job has ended. */
export const isOver = ({ state }: ListedJobView): boolean => state === 'succeeded' || state === 'failed'

/** The state of a job with details that the state alone does not tell. */
export function stateText(job: ListedJobView): string {
  if (job.cancel_requested_at === undefined) return job.state
  if (job.state === 'failed') return 'failed (cancelled)'
  return isOver(job) ? job.state : `${job.state} (cancelling)`
}

/** How long the job has run, or ran; undefined before it starts, and after it was given back. */
export function tookText(job: ListedJobView, page: Page): string | undefined {
  if (job.state === 'pending') return undefined
  const from = job.started_at ?? job.claimed_at
  if (from === undefined) return undefined
  return duration((job.finished_at ?? page.now.getTime() / 1000) - from)
}

/** Jobs as people read them. */
export const jobsTable = (jobs: readonly ListedJobView[], page: Page): string =>
  table(
    [
      idColumn(jobs, page),
      { title: 'KIND', text: ({ kind }) => kind },
      { title: 'APP', narrow: 'leaves', text: ({ app }) => app ?? '' },
      { title: 'STATE', text: stateText, colour: ({ state }) => stateColour(state) },
      {
        title: 'HOST',
        narrow: 'shrinks',
        text: ({ claimed_by, target }) => hostId(claimed_by ?? target) ?? 'any',
      },
      { title: 'CREATED', text: ({ created_at }) => ago(created_at, page) },
      { title: 'TOOK', narrow: 'leaves', text: (job) => tookText(job, page) ?? '' },
      { title: 'REASON', narrow: 'shrinks', text: ({ error }) => error ?? '' },
    ],
    jobs,
    page,
  )

/** One job with everything that is known of it. */
export const jobFacts = (job: JobView, page: Page): string =>
  facts(
    [
      ['id', job.id],
      ['kind', job.kind],
      ['app', job.app],
      ['state', stateText(job)],
      ['error', job.error],
      ['exit code', job.exit_code === undefined ? undefined : String(job.exit_code)],
      ['license', job.license_id],
      ['deployment', job.deployment_id],
      ['retry of', job.retry_of],
      ['aimed at', hostId(job.target) ?? 'any host of the license'],
      ['held by', hostId(job.claimed_by)],
      ['attempt', `${job.attempt}, ${job.lost_leases} of ${job.max_attempts} leases lost`],
      ['urgent', job.urgent ? 'yes' : undefined],
      ['serial key', job.serial_key],
      ['dedupe key', job.dedupe_key],
      ['created', instant(job.created_at, page)],
      ['claimed', instant(job.claimed_at, page)],
      ['started', instant(job.started_at, page)],
      ['finished', instant(job.finished_at, page)],
      ['took', tookText(job, page)],
      ['cancel', job.cancel_reason === undefined ? undefined : `asked for: ${job.cancel_reason}`],
      ['payload', JSON.stringify(job.payload)],
    ],
    page,
  )

/** How a job ended, in one line: `job_… succeeded after 3 s`. */
export function endText(job: JobView, page: Page): string {
  const took = tookText(job, page)
  const error = job.state === 'failed' && job.error !== undefined ? `: ${job.error}` : ''
  return `${job.id} ${stateText(job)}${took === undefined ? '' : ` after ${took}`}${error}`
}
