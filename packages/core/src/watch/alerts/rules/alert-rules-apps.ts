import { present } from '../../../kernel/present.ts'
import { type Agent, agentState } from '../../../work/agents/agent.ts'
import {
  type AppDrift,
  failedCrons,
  MANY_RESTARTS,
  type ObservedApp,
} from '../../../work/apps/observed-app.ts'
import type { AlertKind, AlertSeverity } from '../alert.ts'
import type { AlertCondition } from './alert-condition.ts'
import type { AlertFacts } from './alert-facts.ts'
import { hostCondition } from './alert-rules-hosts.ts'
import { nameOf } from './alert-words.ts'

/** An instance that is started again is up within this time, if it is well. */
const HOLD_SECONDS = 60
/** A host tells of a new release with one of its next heartbeats. */
const DRIFT_SECONDS = 300

type Words = Pick<AlertCondition, 'summary' | 'details'> &
  Partial<Pick<AlertCondition, 'holdSeconds' | 'event'>>

const firstLine = (text = ''): string => text.split(/[\r\n]/)[0] ?? ''

/** Makes conditions about applications of a host. */
const conditionOn =
  (agent: Agent, at: Date) =>
  (kind: AlertKind, key: string, severity: AlertSeverity, { event, ...words }: Words): AlertCondition => ({
    ...hostCondition(agent, kind, severity, { ...words, isStale: agentState(agent, at) === 'offline' }),
    ...{ dedupKey: `${kind}:${agent.fingerprint}:${key}`, ...present('event', event) },
  })

function driftOf({ app, detail, expected, deploymentId }: AppDrift, agent: Agent, at: Date): AlertCondition {
  const summary = `${app} on ${nameOf(agent)} runs ${detail.sha}, and ${expected} was deployed there last`
  const found = detail.sha === undefined ? [] : [detail.sha]
  const details = { app, deployment_id: deploymentId, expected: [expected], found }
  return conditionOn(agent, at)('app_drift', app, 'warning', { summary, details, holdSeconds: DRIFT_SECONDS })
}

function conditionsOf(seen: ObservedApp, agent: Agent, at: Date): AlertCondition[] {
  const { app, state, detail } = seen
  const where = `${app} on ${nameOf(agent)}`
  const of = conditionOn(agent, at)
  const found: AlertCondition[] = []
  if (state === 'down' || state === 'degraded') {
    const missing = detail.missing ?? []
    const summary =
      state === 'down'
        ? `${where} is down: none of its ${detail.of} instances is up`
        : `${where} has ${detail.up} of ${detail.of} instances up: ${missing.join(', ')} missing`
    const details = { app, state, reason: missing.join(', ') }
    const severity = state === 'down' ? 'critical' : 'warning'
    found.push(of('app_down', app, severity, { summary, details, holdSeconds: HOLD_SECONDS }))
  }
  if (detail.restarts >= MANY_RESTARTS) {
    const summary = `${where} ended ${detail.restarts} times within ten minutes, and was started again`
    found.push(of('app_restarts', app, 'warning', { summary, details: { app, restarts: detail.restarts } }))
  }
  for (const { name, fault, last_at: last = 0 } of failedCrons(detail)) {
    const summary = `the last run of ${name} of ${where} failed: ${firstLine(fault)}`
    const details = { app, cron: name, reason: firstLine(fault), last_at: last }
    found.push(of('cron_failed', `${app}:${name}`, 'warning', { summary, details, event: String(last) }))
  }
  for (const { domain, until } of detail.certificates ?? []) {
    const isOver = until === undefined || until * 1000 <= at.getTime()
    const summary =
      until === undefined
        ? `nobody answers for ${domain} on ${nameOf(agent)} with a certificate of that name`
        : `the certificate of ${domain} on ${nameOf(agent)} ${isOver ? 'has ended' : 'was not renewed'}: it counts until ${new Date(until * 1000).toISOString()}`
    const details = { app, domain, ...present('until', until) }
    found.push(of('certificate_ending', domain, isOver ? 'critical' : 'warning', { summary, details }))
  }
  return found
}

/** Returns the conditions about applications that are not as they are to be. */
export function appConditions(
  { apps, appDrifts, hosts }: Pick<AlertFacts, 'apps' | 'appDrifts' | 'hosts'>,
  at: Date,
): AlertCondition[] {
  const byKey = new Map(hosts.map((each) => [`${each.licenseId} ${each.fingerprint}`, each]))
  const hostOf = (seen: ObservedApp) => byKey.get(`${seen.licenseId} ${seen.fingerprint}`)
  return [
    ...apps.flatMap((seen) => {
      const agent = hostOf(seen)
      return agent === undefined ? [] : conditionsOf(seen, agent, at)
    }),
    ...appDrifts.flatMap((drift) => {
      const agent = hostOf(drift)
      return agent === undefined ? [] : [driftOf(drift, agent, at)]
    }),
  ]
}
