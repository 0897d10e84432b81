import { createHash } from 'node:crypto'
import type { Scope } from '@svc/core'
import {
  agentId,
  alertStatus,
  type GitDelivery,
  type GitHook,
  LIVE_TICK_SECONDS,
  type LiveList,
  type LiveStore,
  type LiveSubject,
  type LiveThing,
  type ObservedApp,
  standingOf,
  type User,
} from '@svc/core/ports'
import type { MemoryAgent, MemoryTables } from '../../memory-tables.ts'
import type { Run } from '../../memory-turns.ts'
import { isLiveSession, type MemorySession } from '../../people/sessions/sessions-store-memory.ts'
import { conversationsOf } from '../../reach/chat/memory-conversation.ts'
import type { MemoryEndpoint } from '../../reach/webhooks/memory-webhook.ts'
import { isWithin } from '../../scoped-rows.ts'
import type { MemoryJob } from '../../work/jobs/memory-job.ts'
import { shown } from '../alerts/alert-move-memory.ts'
import { inScope } from '../alerts/alerts-store-memory.ts'

/** A look at the tables. */
interface Look {
  readonly tables: MemoryTables
  readonly scope: Scope
  readonly silentSeconds: number
  readonly now: Date
}

type Owned = Parameters<typeof isWithin>[2]

/** Looks at what open pages show, in memory. */
export const memoryLiveStore = (tables: MemoryTables, run: Run, time: () => Date): LiveStore => ({
  versions: (subjects, silentSeconds, now = time()) =>
    run(() =>
      subjects.map((subject) => versionOf(subject, { tables, silentSeconds, now, scope: subject.scope })),
    ),
  logEnds: (jobs) => run(() => jobs.map((id) => linesOf(tables, id))),
})

const linesOf = ({ logs }: MemoryTables, id: string): number =>
  (logs.get(id) ?? []).reduce((lines, chunk) => lines + chunk.lines.length, 0)

function versionOf(subject: LiveSubject, look: Look): string | undefined {
  if (subject.scope.of === 'license') return undefined
  const found =
    subject.key === undefined ? listOf(subject.topic, look) : THINGS[subject.topic](subject.key, look)
  if (found === undefined || typeof found === 'string') return found
  const text = JSON.stringify(found, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  return createHash('sha256').update(text).digest('hex')
}

const own = <Row extends object>({ tables, scope }: Look, rows: readonly Row[]): readonly Row[] =>
  rows.filter((row) => isWithin(tables, scope, row as Owned))
const tick = ({ now }: Look): number => Math.floor(now.getTime() / 1000 / LIVE_TICK_SECONDS)

const isHeld = ({ job: { state } }: MemoryJob): boolean => state === 'claimed' || state === 'running'
const jobView = ({ job }: MemoryJob) => {
  const { id, state, claimedBy, startedAt, finishedAt, cancel } = job
  return { id, state, claimedBy, startedAt, finishedAt, cancelled: cancel !== undefined }
}
const jobsView = (jobs: readonly MemoryJob[], look: Look) => [
  ...jobs.map(jobView),
  ...(jobs.some(isHeld) ? [tick(look)] : []),
]
const jobsOf = (look: Look) =>
  look.tables.jobs.all().filter(({ job }) => isWithin(look.tables, look.scope, job))

const isSilent = ({ lastHeartbeat }: MemoryAgent, { now, silentSeconds }: Look): boolean =>
  lastHeartbeat !== undefined && now.getTime() - lastHeartbeat.getTime() > silentSeconds * 1000

function hostsView(look: Look) {
  const agents = own(look, look.tables.agents.all())
  const latest = Math.max(0, ...agents.map(({ lastHeartbeat }) => Number(lastHeartbeat ?? 0)))
  return [
    Math.floor(latest / 1000 / LIVE_TICK_SECONDS),
    ...agents.map((agent) => {
      const { licenseId, fingerprint, hostname, label, reportedState, version, drainedAt } = agent
      const { captureSuccess, drillPass } = agent
      const words = [licenseId, fingerprint, hostname, label, reportedState, version]
      return [...words, drainedAt === undefined, isSilent(agent, look), captureSuccess, drillPass]
    }),
  ]
}

function alertsView({ tables, scope, now }: Look) {
  const { alerting } = tables
  const alerts = alerting.alerts.all().flatMap((alert) => inScope(alerting, scope, alert))
  const ids = new Set(alerts.map(({ id }) => id))
  const isOwn = ({ tenantId }: { readonly tenantId?: string | undefined }) =>
    scope.of === 'platform' || tenantId === scope.id
  return [
    ...alerts.map((alert) => [alert, alertStatus(shown(alerting, alert), now)]),
    ...alerting.actions.all().filter(({ alertId }) => ids.has(alertId)),
    ...alerting.webhooks.all().filter(isOwn),
    ...alerting.mailboxes.all().filter(isOwn),
  ]
}

function webhooksView(look: Look) {
  const endpoints = own(look, look.tables.of<MemoryEndpoint>('webhookEndpoints').all())
  const ids = new Set(endpoints.map(({ id }) => id))
  return [...endpoints, ...look.tables.deliveries.all().filter(({ recipient }) => ids.has(recipient))]
}

function gitView(look: Look) {
  const hooks = own(look, look.tables.of<GitHook>('gitHooks').all())
  const ids = new Set(hooks.map(({ id }) => id))
  const deliveries = look.tables.of<GitDelivery>('gitDeliveries').all()
  return [...hooks, ...deliveries.filter(({ hookId }) => ids.has(hookId))]
}

function appsView(look: Look) {
  const { tables } = look
  const observed = own(look, tables.of<ObservedApp>('observedApps').all())
  const named = ['apps', 'appDomains', 'appDatabases'].flatMap((name) =>
    own(look, tables.of<object>(name).all()),
  )
  return [
    ...named,
    ...own(look, tables.deployments.all()),
    ...observed.map(({ observedAt: _, since: __, ...row }) => row),
  ]
}

/** Rows of named tables whose owners are in the scope. */
const named =
  (...names: readonly string[]) =>
  (look: Look) =>
    names.flatMap((name) => own(look, look.tables.of<object>(name).all()))
/** Rows of which every owner is a license. */
const ownedBy = (name: string) => (look: Look) =>
  look.tables
    .of<{ readonly owner: string }>(name)
    .all()
    .filter(({ owner }) => isWithin(look.tables, look.scope, { licenseId: owner }))

/** Lists that a tenant's people see their part of. */
const SHARED: Readonly<Partial<Record<LiveList, (look: Look) => unknown>>> = {
  fleet: hostsView,
  apps: appsView,
  jobs: (look) => jobsView(jobsOf(look), look),
  images: named('images'),
  alerts: alertsView,
  monitors: named('monitors'),
  surface: named('surfaceTargets', 'surfaceFindings', 'surfaceScans'),
  'git-hooks': gitView,
  webhooks: webhooksView,
  'email-domains': ownedBy('emailDomains'),
  'email-keys': ownedBy('emailKeys'),
  licenses: (look) => own(look, look.tables.licenses.all()),
  tenants: ({ tables, scope }) =>
    tables
      .of<{ readonly id: string }>('tenants')
      .all()
      .filter(({ id }) => scope.of === 'platform' || id === scope.id),
  transfer: named('transferKeys'),
  ssh: named('accessSessions'),
}

/** Tables of lists for staff alone. */
const STAFF: Readonly<Partial<Record<LiveList, readonly string[]>>> = {
  'email-queue': ['emailMessages'],
  'email-suppressions': ['emailSuppressions'],
  users: ['users', 'secondFactors'],
  tokens: ['apiTokens'],
  security: ['nodeSecurity'],
  'billing-events': ['paymentEvents'],
  'provision-orders': ['provisioningOrders'],
  'provision-catalog': ['provisioningCatalog'],
  'provision-credentials': ['providerCredentials'],
  browser: ['browserRuns'],
  'browser-tokens': ['browserTokens'],
}

function listOf(list: LiveList, look: Look): unknown {
  const view = SHARED[list]
  if (view !== undefined) return view(look)
  if (look.scope.of !== 'platform') return undefined
  if (list === 'chat') return conversationsOf(look.tables).all()
  if (list === 'audit') return look.tables.audit.all()
  return (STAFF[list] ?? []).flatMap((name) => look.tables.of<object>(name).all())
}

const THINGS: Readonly<Record<LiveThing, (key: string, look: Look) => unknown>> = {
  host: (key, look) => {
    const isMeant = ({ licenseId, fingerprint }: MemoryAgent) =>
      `${licenseId} ${agentId(fingerprint)}` === key
    const agents = own(look, look.tables.agents.all().filter(isMeant))
    return agents.length === 0 ? undefined : agents.map((agent) => [agent, isSilent(agent, look)])
  },
  job: (key, look) => {
    const row = look.tables.jobs.get(key)
    if (row === undefined || !isWithin(look.tables, look.scope, row.job)) return undefined
    return [jobView(row), row.job.attempt, row.job.finishedAt === undefined && tick(look)]
  },
  'license-jobs': (key, look) => {
    const license = look.tables.licenses.get(key)
    if (license === undefined || own(look, [{ licenseId: key }]).length === 0) return undefined
    return jobsView(
      jobsOf(look).filter(({ job }) => job.licenseId === key),
      look,
    )
  },
  session: (key, { tables, scope, now }) => {
    const session = tables.of<MemorySession>('sessions').get(key)
    const user = session && tables.of<User>('users').get(session.userId)
    if (scope.of !== 'platform' || session === undefined || user === undefined) return undefined
    return isLiveSession(session, now) && user.disabledAt === undefined ? standingOf(user) : undefined
  },
}
