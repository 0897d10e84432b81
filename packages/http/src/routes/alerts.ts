import { ALERT_ACTIONS, ALERT_STATUSES, ALERTS_LISTED } from '@svc/core/adapters'
import { agentGate } from '../gates/agent-gate.ts'
import type { RouteLimit } from '../gates/limit.ts'
import { operationRoute } from './operation-route.ts'

const PATH = '/api/v1/fleet/alerts'

/** Reads of alerts, per license. */
const ALERT_READS: RouteLimit = { name: 'alert-read', limit: 120, windowSeconds: 60 }
/**
 * Actions on alerts, per license. Each names at most a hundred alerts, and adds a line to the record of each
 * alert that it changes.
 */
const ALERT_ACTS: RouteLimit = { name: 'alert-act', limit: 30, windowSeconds: 60 }

/** Reading and handling a license's alerts (docs/alerts.md). */
export const alertRoutes = [
  operationRoute('GET', PATH, 'alerts.list', agentGate(ALERT_READS), {
    summary: "List the license's alerts, unresolved and newest first.",
    query: {
      status: `One of ${ALERT_STATUSES.join(', ')}.`,
      host: 'A hostname, id or fingerprint.',
      kind: 'One kind of alert.',
      since: 'Only alerts that opened at this unix second or later.',
      limit: `Alerts at most, 1 to ${ALERTS_LISTED.max}, ${ALERTS_LISTED.fallback} when not given.`,
      cursor: '`next_cursor` of an earlier answer.',
    },
    answers: 'The alerts; `next_cursor` when there are more.',
    replies: { 400: { description: 'A filter that cannot be read.' } },
  }),
  operationRoute(
    'POST',
    PATH,
    Object.fromEntries(ALERT_ACTIONS.map((action) => [`alerts.${action}`, { action }])),
    agentGate(ALERT_ACTS),
    {
      name: 'alerts.act.licensed',
      summary: 'Acknowledge, snooze or resolve alerts of the license. Repeating it changes nothing.',
      choiceAfter: 'ids',
      answers: '`alerts` when `ids` were named, else `alert`.',
      replies: { 404: { description: 'An alert that the license has not.' } },
    },
  ),
]
