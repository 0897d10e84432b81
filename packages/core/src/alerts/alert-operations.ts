import { optional } from 'superstruct'
import { unixSeconds } from '../clock.ts'
import { operation, type Services } from '../operations/operation.ts'
import { Problem } from '../problem.ts'
import { listOf, oneOf, text, whole } from '../validation.ts'
import {
  ALERT_ACTIONS,
  ALERT_KINDS,
  ALERT_STATUSES,
  type Alert,
  alertView,
  LAST_SECOND,
  MAX_ACTED_ALERTS,
  MAX_NOTE_CHARS,
} from './alert.ts'
import { ALERTS_LISTED } from './alert-list.ts'
import type { AlertScope } from './alerts-store.ts'

const id = text(1, 64)
const seconds = whole(1, LAST_SECOND)

async function scopeOf({ alerts, licenses }: Services, license: string | undefined): Promise<AlertScope> {
  return license === undefined ? {} : alerts.scopeOf(await licenses.resolve(license))
}

/** Returns an alert as operators see it, with its license and tenant. */
const operatorView = (alert: Alert, now: Date) => ({
  ...alertView(alert, now),
  ...(alert.licenseId === '' ? {} : { license_id: alert.licenseId }),
  ...(alert.tenantId === undefined ? {} : { tenant_id: alert.tenantId }),
})

const SUMMARIES = {
  ack: 'say that somebody has taken an alert on; good for 24 hours',
  unack: 'take an acknowledgement back',
  snooze: 'keep an alert silent for a time, also when it comes back',
  unsnooze: 'end a snooze',
  resolve: 'end an alert; what is still wrong opens it again',
} as const

const actions = ALERT_ACTIONS.map((action) =>
  operation({
    name: `alerts.${action}`,
    summary: SUMMARIES[action],
    permission: 'platform.deploy',
    changes: true,
    input: {
      id: optional(id),
      ids: optional(listOf(id, MAX_ACTED_ALERTS)),
      dedup_key: optional(text(1, 1024)),
      license: optional(text(1, 512)),
      until: optional(seconds),
      for_seconds: optional(seconds),
      note: optional(text(0, MAX_NOTE_CHARS)),
    },
    run: async (services, input, { name: actor }) => {
      const until = input.until === undefined ? undefined : new Date(input.until * 1000)
      const { id, ids, dedup_key: dedupKey, for_seconds: forSeconds, note } = input
      const scope = await scopeOf(services, input.license)
      const names = { id, ids, dedupKey }
      const alerts = await services.alerts.act({ ...names, scope, action, until, forSeconds, note, actor })
      const views = alerts.map((alert) => operatorView(alert, services.alerts.now()))
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
    changes: false,
    input: {
      license: optional(text(1, 512)),
      status: optional(oneOf(ALERT_STATUSES)),
      host: optional(text(1, 512)),
      kind: optional(oneOf(ALERT_KINDS)),
      since: optional(whole(0, LAST_SECOND)),
      limit: optional(whole(1, ALERTS_LISTED.max)),
      cursor: optional(text(1, 64)),
    },
    run: async (services, { license, since, ...filter }) => {
      const from = since === undefined ? undefined : new Date(since * 1000)
      const scope = await scopeOf(services, license)
      const { alerts, nextCursor } = await services.alerts.list({ ...filter, scope, since: from })
      const views = alerts.map((alert) => operatorView(alert, services.alerts.now()))
      return { alerts: views, ...(nextCursor === undefined ? {} : { next_cursor: nextCursor }) }
    },
  }),
  operation({
    name: 'alerts.show',
    summary: 'show an alert, how it was announced and what was done about it',
    permission: 'platform.read',
    changes: false,
    input: { id },
    run: async ({ alerts }, { id }) => {
      const alert = await alerts.get(id)
      if (alert === undefined)
        throw new Problem('not-found', { detail: `there is no alert ${id}: svc alerts list shows them` })
      const { deliveries, actions } = await alerts.story(id)
      return {
        alert: operatorView(alert, alerts.now()),
        deliveries: deliveries.map((each) => ({
          transition: each.transition,
          channel: each.channel,
          state: each.state,
          attempts: each.attempts,
          ...(each.settledAt === undefined ? {} : { settled_at: unixSeconds(each.settledAt) }),
          ...(each.status === undefined ? {} : { http_status: each.status }),
          ...(each.error === undefined ? {} : { error: each.error }),
        })),
        actions: actions.map(({ at, actor, action, note }) => ({
          at: unixSeconds(at),
          actor,
          action,
          ...(note === undefined ? {} : { note }),
        })),
      }
    },
  }),
  ...actions,
]
