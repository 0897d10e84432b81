import { optional } from 'superstruct'
import { unixSeconds } from '../../kernel/clock.ts'
import { present, presentSeconds } from '../../kernel/present.ts'
import {
  flag,
  listOf,
  namedShape,
  namedWords,
  oneOf,
  shape,
  text,
  unixSecond,
  whole,
} from '../../kernel/validation.ts'
import { DELIVERY_STATES } from '../../platform/deliveries/delivery.ts'
import { type LicenseScope, operationOf } from '../../platform/operations/operation.ts'
import { HOST_NAME } from '../../work/agents/host-answers.ts'
import {
  ALERT_ACTIONS,
  ALERT_KINDS,
  ALERT_SEVERITIES,
  ALERT_STATUSES,
  type Alert,
  alertView,
  MAX_ACTED_ALERTS,
  MAX_NOTE_CHARS,
} from './alert.ts'
import { alertDetails } from './alert-details.ts'
import { ALERT_TRANSITIONS } from './alert-lifecycle.ts'
import { ALERTS_LISTED } from './alert-list.ts'
import { type Alerts, noAlert } from './alerts.ts'
import { ALERT_CHANNELS } from './channels/alert-deliveries-store.ts'

/** The services that operations on alerts use. */
export interface AlertUses {
  readonly alerts: Alerts
}

const operation = operationOf<AlertUses>()

const id = text(1, 64)
const word = text(0, 4096)
namedWords('AlertKind', ALERT_KINDS)
namedWords('AlertStatus', ALERT_STATUSES)

/** An alert in answers; only operators are told its license and tenant. */
const alertShape = namedShape('Alert', {
  id,
  dedup_key: word,
  kind: oneOf(ALERT_KINDS),
  severity: oneOf(ALERT_SEVERITIES),
  status: oneOf(ALERT_STATUSES),
  summary: word,
  host: optional(HOST_NAME),
  details: alertDetails,
  count: whole(1, Number.MAX_SAFE_INTEGER),
  flapping: flag(),
  starts_at: unixSecond(),
  last_seen_at: unixSecond(),
  acknowledged_at: optional(unixSecond()),
  acknowledged_by: optional(word),
  ack_expires_at: optional(unixSecond()),
  snoozed_until: optional(unixSecond()),
  resolved_at: optional(unixSecond()),
  notified_at: optional(unixSecond()),
  license_id: optional(word),
  tenant_id: optional(word),
})
const listed = listOf(alertShape, Number.POSITIVE_INFINITY)

const dateOf = (seconds: number | undefined): Date | undefined =>
  seconds === undefined ? undefined : new Date(seconds * 1000)

/** Returns an alert as operators see it, with its license and tenant. */
const operatorView = (alert: Alert, now: Date) => ({
  ...alertView(alert, now),
  ...(alert.licenseId === '' ? {} : { license_id: alert.licenseId }),
  ...present('tenant_id', alert.tenantId),
})

const announced = shape({
  transition: oneOf(ALERT_TRANSITIONS),
  channel: oneOf(ALERT_CHANNELS),
  state: oneOf(DELIVERY_STATES),
  attempts: whole(0, Number.MAX_SAFE_INTEGER),
  settled_at: optional(unixSecond()),
  http_status: optional(whole(0, 999)),
  error: optional(word),
})
const acted = shape({ at: unixSecond(), actor: word, action: oneOf(ALERT_ACTIONS), note: optional(word) })

type Story = Awaited<ReturnType<Alerts['story']>>

const storyView = (alert: Alert, now: Date, { deliveries, actions }: Story) => ({
  alert: operatorView(alert, now),
  deliveries: deliveries.map((each) => ({
    transition: each.transition,
    channel: each.channel,
    state: each.state,
    attempts: each.attempts,
    ...presentSeconds('settled_at', each.settledAt),
    ...present('http_status', each.status),
    ...present('error', each.error),
  })),
  actions: actions.map(({ at, actor, action, note }) => ({
    at: unixSeconds(at),
    actor,
    action,
    ...present('note', note),
  })),
})
/** The answer of `alerts.show`: an alert, its announcements and the actions on it. */
export type AlertStoryView = ReturnType<typeof storyView>

const viewsOf = (alerts: readonly Alert[], now: Date, { isCaller }: LicenseScope) =>
  alerts.map((alert) => (isCaller ? alertView(alert, now) : operatorView(alert, now)))

const SUMMARIES = {
  ack: 'say that somebody has taken an alert on; good for 24 hours',
  unack: 'take an acknowledgement back',
  snooze: 'keep an alert silent for a time, also when it comes back',
  unsnooze: 'end a snooze',
  resolve: 'end an alert; a problem that persists opens it again',
} as const

const actions = ALERT_ACTIONS.map((action) =>
  operation({
    name: `alerts.${action}`,
    summary: SUMMARIES[action],
    permission: 'platform.deploy',
    scope: 'tenant',
    changes: true,
    licensed: true,
    input: {
      id: optional(id),
      dedup_key: optional(text(1, 1024)),
      ids: optional(listOf(id, MAX_ACTED_ALERTS)),
      until: optional(unixSecond()),
      for_seconds: optional(whole(1, Number.MAX_SAFE_INTEGER)),
      note: optional(text(0, MAX_NOTE_CHARS)),
    },
    answer: { ok: flag(), alert: optional(alertShape), alerts: optional(listed) },
    run: async ({ alerts }, input, { name: actor, scope }, license) => {
      const { id, ids, dedup_key: dedupKey, until, for_seconds: forSeconds, note } = input
      const asked = { id, ids, dedupKey, action, until: dateOf(until), forSeconds, note }
      const views = viewsOf(await alerts.act(scope, { ...asked, actor }), alerts.now(), license)
      return ids === undefined ? { ok: true, alert: views[0] } : { ok: true, alerts: views }
    },
  }),
)

/** Operations on alerts. */
export const alertOperations = [
  operation({
    name: 'alerts.list',
    summary: 'list the alerts, unresolved and newest first',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    licensed: true,
    input: {
      status: optional(oneOf(ALERT_STATUSES)),
      host: optional(text(1, 512)),
      kind: optional(oneOf(ALERT_KINDS)),
      since: optional(unixSecond()),
      limit: optional(whole(1, ALERTS_LISTED.max)),
      cursor: optional(text(1, 64)),
    },
    answer: { alerts: listed, next_cursor: optional(word) },
    run: async ({ alerts }, { since, ...filter }, { scope }, license) => {
      const page = await alerts.list(scope, { ...filter, since: dateOf(since) })
      return {
        alerts: viewsOf(page.alerts, alerts.now(), license),
        ...present('next_cursor', page.nextCursor),
      }
    },
  }),
  operation({
    name: 'alerts.show',
    summary: 'show an alert, its announcements and the actions on it',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    input: { id },
    answer: {
      alert: alertShape,
      deliveries: listOf(announced, Number.POSITIVE_INFINITY),
      actions: listOf(acted, Number.POSITIVE_INFINITY),
    },
    run: async ({ alerts }, { id }, { scope }) => {
      const alert = await alerts.get(scope, id)
      if (alert === undefined) throw noAlert(id)
      return storyView(alert, alerts.now(), await alerts.story(id))
    },
  }),
  ...actions,
]
