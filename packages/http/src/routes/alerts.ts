import {
  ALERT_ACTIONS,
  ALERT_KINDS,
  ALERT_SEVERITIES,
  ALERT_STATUSES,
  ALERTS_LISTED,
  alertView,
  flag,
  freeObject,
  LAST_SECOND,
  listOf,
  MAX_ACTED_ALERTS,
  MAX_NOTE_CHARS,
  oneOf,
  read,
  shape,
  storable,
  text,
  whole,
} from '@svc/core'
import { optional } from 'superstruct'
import { jsonBody } from '../body/json-body.ts'
import { agentGate } from '../gates/agent-gate.ts'
import type { RouteLimit } from '../gates/limit.ts'
import { json, UNBOUNDED } from '../reply.ts'
import { route } from '../route.ts'
import { INVALID } from './job-fields.ts'

const PATH = '/api/v1/fleet/alerts'
const second = whole(0, LAST_SECOND)
const id = text(1, 64)
const word = text(0, 4096)

const alert = shape({
  id,
  dedup_key: word,
  kind: oneOf(ALERT_KINDS),
  severity: oneOf(ALERT_SEVERITIES),
  status: oneOf(ALERT_STATUSES),
  summary: word,
  host: optional(shape({ id: word, hostname: word })),
  details: freeObject(),
  count: whole(1, Number.MAX_SAFE_INTEGER),
  flapping: flag(),
  starts_at: second,
  last_seen_at: second,
  acknowledged_at: optional(second),
  acknowledged_by: optional(word),
  ack_expires_at: optional(second),
  snoozed_until: optional(second),
  resolved_at: optional(second),
  notified_at: optional(second),
})

const filter = shape({
  status: optional(oneOf(ALERT_STATUSES)),
  host: optional(text(1, 512)),
  kind: optional(oneOf(ALERT_KINDS)),
  since: optional(second),
  limit: optional(whole(1, ALERTS_LISTED.max)),
  cursor: optional(text(1, 64)),
})

const actBody = shape({
  id: optional(id),
  dedup_key: optional(text(1, 1024)),
  ids: optional(listOf(id, MAX_ACTED_ALERTS)),
  action: oneOf(ALERT_ACTIONS),
  until: optional(second),
  for_seconds: optional(whole(1, Number.MAX_SAFE_INTEGER)),
  note: optional(text(0, MAX_NOTE_CHARS)),
})

// A value that is no plain number stays a text, and the shape refuses it.
const asNumber = (given: string | undefined): unknown =>
  given !== undefined && /^\d{1,15}$/.test(given) ? Number(given) : given

const dateOf = (seconds: number | undefined): Date | undefined =>
  seconds === undefined ? undefined : new Date(seconds * 1000)

/** Reads of alerts, per license. */
const ALERT_READS: RouteLimit = { name: 'alert-read', limit: 120, windowSeconds: 60 }
/**
 * Actions on alerts, per license. Each names at most a hundred alerts, and adds a line to the record of each
 * alert that it changes.
 */
const ALERT_ACTS: RouteLimit = { name: 'alert-act', limit: 30, windowSeconds: 60 }

/** Reading and handling a license's alerts (wire-app §3). */
export const alertRoutes = [
  route({
    method: 'GET',
    path: PATH,
    summary: "List the license's alerts, unresolved and newest first.",
    gate: agentGate(ALERT_READS),
    query: {
      status: `One of ${ALERT_STATUSES.join(', ')}.`,
      host: 'A hostname, id or fingerprint.',
      kind: 'One kind of alert.',
      since: 'Only alerts that opened at this unix second or later.',
      limit: `Alerts at most, 1 to ${ALERTS_LISTED.max}, ${ALERTS_LISTED.fallback} when not given.`,
      cursor: '`next_cursor` of an earlier answer.',
    },
    replies: {
      200: {
        description: 'The alerts; `next_cursor` when there are more.',
        body: shape({ alerts: listOf(alert, UNBOUNDED), next_cursor: optional(word) }),
      },
      400: { description: 'A filter that cannot be read.' },
    },
    handle: async ({ plane, caller, query }) => {
      const given = { ...query, since: asNumber(query.since), limit: asNumber(query.limit) }
      const { since, ...rest } = read(filter, storable(given))
      const scope = await plane.alerts.scopeOf(caller.licenseId)
      const page = await plane.alerts.list({ ...rest, scope, since: dateOf(since) })
      return json({
        alerts: page.alerts.map((each) => alertView(each, plane.alerts.now())),
        ...(page.nextCursor === undefined ? {} : { next_cursor: page.nextCursor }),
      })
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Acknowledge, snooze or resolve alerts of the license. Repeating it changes nothing.',
    gate: agentGate(ALERT_ACTS),
    body: jsonBody(actBody),
    replies: {
      200: {
        description: '`alerts` when `ids` were named, else `alert`.',
        body: shape({ ok: flag(), alert: optional(alert), alerts: optional(listOf(alert, UNBOUNDED)) }),
      },
      ...INVALID,
      404: { description: 'An alert that the license has not.' },
    },
    handle: async ({ plane, caller, body }) => {
      const { id, ids, dedup_key: dedupKey, action, until, for_seconds: forSeconds, note } = body
      const scope = await plane.alerts.scopeOf(caller.licenseId)
      const actor = `license ${caller.licenseId}`
      const asked = { id, ids, dedupKey, action, until: dateOf(until), forSeconds, note }
      const alerts = await plane.alerts.act({ ...asked, scope, actor })
      const views = alerts.map((each) => alertView(each, plane.alerts.now()))
      return json(ids === undefined ? { ok: true, alert: views[0] } : { ok: true, alerts: views })
    },
  }),
]
