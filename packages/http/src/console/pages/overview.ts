import type { Answer } from '@svc/core'
import { duration } from '@svc/core/adapters'
import { type Row, shown } from '../cells.ts'
import { section } from '../detail.ts'
import { type Html, html, type Part } from '../html.ts'
import type { Query } from '../links.ts'
import { type Listing, rowsView } from '../listing.ts'
import type { Page } from '../pages.ts'
import type { Visit } from '../visit.ts'
import { ALERT_ACTIONS, ALERT_COLUMNS } from './alerts.ts'
import { JOB_COLUMNS } from './jobs.ts'

const FIRING: Query = { status: 'firing' }

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

interface Figure {
  readonly words: string
  readonly count: unknown
  readonly page: string
  readonly query?: Query
  /** Whether a count above 0 is trouble. */
  readonly tone?: 'bad' | 'warn'
}

const FINDINGS: Listing = {
  operation: 'health.check',
  rows: 'findings',
  columns: ['name', 'status', 'detail'],
  empty: { says: 'Nothing to see to.' },
}

/** The last system check, for those who may run it. */
function systemView({ system }: Answer, visit: Visit): Part {
  if (system === undefined) return false
  const found = system as Row
  const all = html`<a href="${visit.links.to('system')}">All</a>`
  const when = html`<small>Checked ${shown('checked_at', found.checked_at, visit)}</small>`
  return section('System', html`${rowsView(FINDINGS, found, visit)}<p>${when}</p>${all}`)
}

function figures({ hosts, jobs, alerts, apps, backups }: Answer, { links }: Visit): Html {
  const of = (group: unknown, name: string) => (group as Row)[name]
  const oldest = duration(Number(of(jobs, 'oldest_seconds')))
  const shown: readonly Figure[] = [
    { words: 'hosts up', count: of(hosts, 'up'), page: 'hosts' },
    { words: 'hosts silent', count: of(hosts, 'silent'), page: 'hosts', tone: 'bad' },
    { words: 'draining', count: of(hosts, 'draining'), page: 'hosts', tone: 'warn' },
    { words: 'critical alerts', count: of(alerts, 'critical'), page: 'alerts', query: FIRING, tone: 'bad' },
    { words: 'other alerts', count: of(alerts, 'warning'), page: 'alerts', query: FIRING, tone: 'warn' },
    { words: 'apps in trouble', count: of(apps, 'troubled'), page: 'apps', tone: 'bad' },
    { words: 'jobs under way', count: of(jobs, 'running'), page: 'jobs', query: { state: 'running' } },
    {
      words: `waiting, ${oldest} at most`,
      count: of(jobs, 'waiting'),
      page: 'jobs',
      query: { state: 'pending' },
    },
    {
      words: 'failed in a day',
      count: of(jobs, 'failed'),
      page: 'jobs',
      query: { state: 'failed' },
      tone: 'bad',
    },
    { words: 'backups late', count: of(backups, 'late'), page: 'images', tone: 'bad' },
    { words: 'drills late', count: of(backups, 'late_drills'), page: 'images', tone: 'warn' },
  ]
  return html`<ul class="figures">${shown.map(
    ({ words, count, page, query, tone }) =>
      html`<li class="${Number(count) > 0 && tone}"><a href="${links.to(page, query)}"><strong>${Number(count)}</strong> ${words}</a></li>`,
  )}</ul>`
}

/** The first page of a person who was woken: alerts, jobs that run, jobs that failed. */
export const overviewPage: Page = {
  path: '',
  operation: 'overview.show',
  show: async (visit) => ({
    title: 'Overview',
    shows: ['fleet', 'jobs', 'alerts', 'apps'],
    command: 'svc overview',
    body: await bodyOf(visit),
  }),
}

async function bodyOf(visit: Visit): Promise<Html> {
  const answer = await visit.run('overview.show', {})
  const system = systemView(answer, visit)
  // A check that fails comes first, and warnings, which may be there for good, come last.
  const isWell = (answer.system as Row | undefined)?.ok !== false
  return html`<h1>Overview</h1>
${figures(answer, visit)}
${!isWell && system}
${await few(visit, ALERTS, 'Firing', 'alerts', FIRING)}
${await few(visit, jobs('Nothing runs.'), 'Running', 'jobs', { state: 'running' })}
${await few(visit, jobs('No job failed.'), 'Failed', 'jobs', { state: 'failed' })}
${isWell && system}`
}
