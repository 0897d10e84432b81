import type {
  AppCronView,
  AppDatabaseView,
  AppDomainView,
  AppRegistryView,
  AppView,
  ReleaseView,
  VariableView,
} from '@svc/core'
import { ago, facts, instant, type Page, table } from '../../terminal/render.ts'
import { type NameHost, shortHost } from './host-names.ts'

const SHORT_SHA = 12
type Observed = NonNullable<AppView['observed']>[number]
const short = (sha: string | undefined): string => sha?.slice(0, SHORT_SHA) ?? ''
const COLOURS = { succeeded: 'green', failed: 'red', running: 'blue', claimed: 'blue' } as const
const colourOf = (state: string | undefined) => COLOURS[state as keyof typeof COLOURS]

const hostText = ({ host, hosts = [] }: AppView, nameOf: NameHost): string => {
  if (host === undefined) return 'none'
  return `${nameOf(host)}${hosts.length > 1 ? ` +${hosts.length - 1}` : ''}`
}

const isDown = ({ state }: Observed): boolean => state === 'down' || state === 'degraded'

/** Apps as people read them. */
export const appsTable = (apps: readonly AppView[], page: Page, nameOf: NameHost): string =>
  table(
    [
      { title: 'APP', text: ({ name }) => name },
      { title: 'LICENSE', narrow: 'leaves', text: ({ license_id }) => license_id },
      { title: 'HOST', text: (app) => hostText(app, nameOf) },
      { title: 'REPOSITORY', narrow: 'shrinks', text: ({ repo_url }) => repo_url ?? 'none' },
      { title: 'COMMIT', text: ({ last_deployment: last }) => short(last?.sha) },
      {
        title: 'STATE',
        text: ({ last_deployment: last }) => last?.state ?? 'never deployed',
        colour: ({ last_deployment: last }) => colourOf(last?.state),
      },
      {
        title: 'UP',
        text: ({ observed = [] }) =>
          observed.map(({ state, up, of }) => (state === 'stopped' ? state : `${up}/${of}`)).join(' '),
        colour: ({ observed = [] }) => (observed.some(isDown) ? 'red' : undefined),
      },
      { title: 'WHEN', text: ({ last_deployment: last }) => (last ? ago(last.created_at, page) : '') },
    ],
    apps,
    page,
  )

const STATES = {
  never_deployed: 'no good deployment yet',
  deployed: 'deployed',
  stopped: 'stopped: svc apps start brings it back',
  removed: 'removed from its host: svc apps start deploys it again',
} as const

/** The state in words; a last deployment that failed left the live one in its place. */
function stateText({ state, live_deployment: live, last_deployment: last }: AppView): string | undefined {
  if (state !== 'deployed' || live?.id === last?.id) return state && STATES[state]
  return last?.state === 'failed'
    ? 'deployed; the last deployment failed and left the live one in place'
    : `deployed; a later deployment is ${last?.state}`
}

/** The state on a host in words, with the next step where something is wrong. */
function observedText(
  { host, state, up, of, missing = [], restarts, since, ...seen }: Observed,
  app: string,
  page: Page,
  nameOf: NameHost,
): string {
  const where = nameOf(host)
  const closed = seen.maintenance === true ? ', in maintenance' : ''
  const again = restarts > 0 ? `, started again ${restarts} times within ten minutes` : ''
  const known = `${ago(since, page)}, told ${ago(seen.observed_at, page)}`
  if (state === 'stopped') return `stopped on ${where} (${known})`
  if (seen.expected_sha !== undefined)
    return `${up} of ${of} up on ${where}, and not of ${short(seen.expected_sha)}, which was deployed there last: svc apps start ${app} (${known})`
  if (state === 'up') return `${up} of ${of} up on ${where}${closed}${again} (${known})`
  return `${up} of ${of} up on ${where}${again}: svc apps logs ${app} --process ${missing[0] ?? 'web'} (${known})`
}

const moveText = ({ name, move }: AppView, nameOf: NameHost): string | undefined => {
  if (move === undefined) return undefined
  const where = `to ${nameOf(move.to)} from ${nameOf(move.from)}`
  return move.under_way
    ? `${where} is under way: svc apps move ${name} goes on`
    : `${where} is done: svc apps move ${name} --finish, or --undo`
}

/** The name of a host, and its fingerprint, which is the word for one without a name. */
function fullName(host: string, nameOf: NameHost): string {
  const name = nameOf(host)
  return name === shortHost(host) ? `fp:${host}` : `${name} (fp:${host})`
}

/** An app with all that is known of it. */
export const appFacts = (app: AppView, page: Page, nameOf: NameHost): string =>
  facts(
    [
      ['id', app.id],
      ['app', app.name],
      ['license', app.license_id],
      ...(app.hosts ?? [app.host]).map(
        (host, index) =>
          [index === 0 ? 'host' : 'then', host === undefined ? 'none' : fullName(host, nameOf)] as const,
      ),
      ['repository', app.repo_url ?? 'none'],
      ['git hook', app.git_hook],
      ['variables', String(app.variables)],
      ['state', stateText(app)],
      ...(app.observed ?? []).map(
        (seen) => ['on its host', observedText(seen, app.name, page, nameOf)] as const,
      ),
      ['live commit', app.live_deployment?.sha],
      ['deployed by', app.live_deployment?.by],
      ['last commit', app.last_deployment?.sha],
      ['last deployment', app.last_deployment?.state ?? 'never deployed'],
      ['last one by', app.last_deployment?.by],
      ['last job', app.last_deployment?.job_id],
      ['move', moveText(app, nameOf)],
      ['made', instant(app.created_at, page)],
    ],
    page,
  )

/** Deployments of an app as people read them. */
export const releasesTable = (releases: readonly ReleaseView[], page: Page, nameOf: NameHost): string =>
  table(
    [
      { title: 'ID', text: ({ id }) => id },
      { title: 'COMMIT', text: ({ sha, uploaded }) => `${short(sha)}${uploaded ? ' (upload)' : ''}` },
      { title: 'STATE', text: ({ state }) => state, colour: ({ state }) => colourOf(state) },
      {
        title: 'HOST',
        narrow: 'leaves',
        text: ({ host }) => (host === undefined ? '' : nameOf(host)),
      },
      { title: 'BY', narrow: 'shrinks', text: ({ by }) => by ?? '' },
      { title: 'JOB', narrow: 'leaves', text: ({ job_id }) => job_id },
      { title: 'WHEN', text: ({ created_at }) => ago(created_at, page) },
    ],
    releases,
    page,
  )

/** Variables of an app as people read them. */
export const variablesTable = (variables: readonly VariableView[], page: Page): string =>
  table(
    [
      { title: 'NAME', text: ({ name }) => name },
      { title: 'VALUE', narrow: 'shrinks', text: ({ value, secret }) => (secret ? 'secret' : (value ?? '')) },
      { title: 'CHANGED', text: ({ updated_at }) => ago(updated_at, page) },
    ],
    variables,
    page,
  )

/** Names of variables as people read them, below a word for the change. */
export const namesTable = (title: string, names: readonly string[], page: Page): string =>
  table([{ title, text: (name: string) => name }], names, page)

const DOMAIN_COLOURS = { live: 'green', failed: 'red', pending: 'blue', removing: 'blue' } as const

const destination = ({ redirect_to, process = 'web', paths = [] }: AppDomainView): string =>
  redirect_to ?? [process, ...paths.map((way) => `${way.path} ${way.process}`)].join(', ')

/** Domains of an app as people read them. */
export const domainsTable = (domains: readonly AppDomainView[], page: Page): string =>
  table(
    [
      { title: 'DOMAIN', text: ({ domain }) => domain },
      { title: 'STATE', text: ({ state }) => state, colour: ({ state }) => DOMAIN_COLOURS[state] },
      { title: 'TLS', text: ({ tls }) => tls },
      { title: 'LEADS TO', narrow: 'leaves', text: destination },
      { title: 'ALLOWED', narrow: 'leaves', text: ({ allow }) => allow?.join(' ') ?? 'all' },
      { title: 'BY', narrow: 'shrinks', text: ({ by }) => by },
      { title: 'JOB', narrow: 'leaves', text: ({ job_id }) => job_id },
      { title: 'WHEN', text: ({ updated_at }) => ago(updated_at, page) },
    ],
    domains,
    page,
  )

const lastRun = ({ running, fault, last_at: last }: AppCronView): string =>
  running ? 'runs now' : last === undefined ? 'none yet' : (fault ?? 'succeeded')

/** Commands of an app at times of the clock as people read them. */
export const cronsTable = (crons: readonly AppCronView[], page: Page, nameOf: NameHost): string =>
  table(
    [
      { title: 'NAME', text: ({ name }) => name },
      { title: 'SCHEDULE', text: ({ schedule }) => schedule },
      { title: 'ZONE', narrow: 'leaves', text: ({ timezone }) => timezone },
      { title: 'LAST RUN', text: lastRun, colour: ({ fault }) => (fault === undefined ? undefined : 'red') },
      { title: 'STARTED', text: ({ last_at: last }) => (last === undefined ? '' : ago(last, page)) },
      { title: 'SECONDS', narrow: 'leaves', text: ({ seconds }) => seconds?.toFixed(1) ?? '' },
      { title: 'LEFT OUT', narrow: 'leaves', text: ({ skipped }) => String(skipped) },
      { title: 'HOST', narrow: 'leaves', text: ({ host }) => nameOf(host) },
    ],
    crons,
    page,
  )

/** Registries that an app has a login for. */
export const registriesTable = (registries: readonly AppRegistryView[], page: Page): string =>
  table(
    [
      { title: 'REGISTRY', text: ({ registry }) => registry },
      { title: 'SINCE', text: ({ updated_at }) => ago(updated_at, page) },
    ],
    registries,
    page,
  )

/** The answer of a move. */
export interface MoveAnswer {
  readonly to: string
  readonly state: string
  readonly steps: readonly {
    readonly step: string
    readonly host: string
    readonly domain?: string
    readonly state: string
    readonly job_id?: string
  }[]
}

/** The steps of a move as people read them. */
export const moveTable = ({ steps }: MoveAnswer, page: Page, nameOf: NameHost): string =>
  table(
    [
      { title: 'STEP', text: ({ step, domain }) => (domain === undefined ? step : `${step} ${domain}`) },
      { title: 'HOST', text: ({ host }) => nameOf(host) },
      {
        title: 'STATE',
        text: ({ state }) => state,
        colour: ({ state }) => (state === 'done' ? 'green' : undefined),
      },
      { title: 'JOB', narrow: 'leaves', text: ({ job_id }) => job_id ?? '' },
    ],
    steps,
    page,
  )

const DATABASE_COLOURS = { ready: 'green', failed: 'red', pending: 'blue', dropping: 'blue' } as const

/** Databases of hosts as people read them. */
export const databasesTable = (databases: readonly AppDatabaseView[], page: Page): string =>
  table(
    [
      { title: 'DATABASE', text: ({ name }) => name },
      { title: 'ENGINE', text: ({ engine }) => engine },
      { title: 'STATE', text: ({ state }) => state, colour: ({ state }) => DATABASE_COLOURS[state] },
      {
        title: 'APPS',
        narrow: 'shrinks',
        text: ({ links }) => links.map(({ app, as }) => `${app} (${as})`).join(' '),
      },
      { title: 'LAST ORDER', narrow: 'leaves', text: ({ op }) => op },
      { title: 'BY', narrow: 'leaves', text: ({ by }) => by },
      { title: 'JOB', narrow: 'leaves', text: ({ job_id }) => job_id },
      { title: 'WHEN', text: ({ updated_at }) => ago(updated_at, page) },
    ],
    databases,
    page,
  )
