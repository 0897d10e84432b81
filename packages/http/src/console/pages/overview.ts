import { section } from '../detail.ts'
import { html, type Part } from '../html.ts'
import { type Listing, rowsView } from '../listing.ts'
import type { Page } from '../pages.ts'
import { LIVE, type Visit } from '../visit.ts'
import { ALERT_ACTIONS, ALERT_COLUMNS } from './alerts.ts'
import { JOB_COLUMNS } from './jobs.ts'

/** Rows of each list of the overview; the rest is a click away. */
const FEW = 10

async function few(
  visit: Visit,
  listing: Listing,
  title: string,
  page: string,
  query: object,
): Promise<Part> {
  if (!visit.may(listing.operation)) return false
  const answer = await visit.run(listing.operation, { ...query, limit: FEW })
  const all = html`<a href="${visit.links.to(page, { ...query })}">All</a>`
  const isWhole = answer.next_cursor === undefined
  return section(title, html`${rowsView(listing, answer, visit)}${!isWhole && all}`)
}

const ALERTS: Listing = {
  operation: 'alerts.list',
  rows: 'alerts',
  columns: ALERT_COLUMNS,
  actions: ALERT_ACTIONS,
  empty: { says: 'No alert is firing.' },
}

const jobs = (says: string): Listing => ({
  operation: 'jobs.list',
  rows: 'jobs',
  columns: JOB_COLUMNS,
  empty: { says },
})

/** The first page of a person who was woken: alerts, jobs that run, jobs that failed. */
export const overviewPage: Page = {
  path: '',
  show: async (visit) => ({
    title: 'Overview',
    liveSeconds: LIVE.calm,
    command: 'svc alerts list --status firing',
    body: html`<h1>Overview</h1>
${await few(visit, ALERTS, 'Firing', 'alerts', { status: 'firing' })}
${await few(visit, jobs('Nothing runs.'), 'Running', 'jobs', { state: 'running' })}
${await few(visit, jobs('No job failed.'), 'Failed', 'jobs', { state: 'failed' })}`,
  }),
}
