import { HttpWebhookChannel } from '../../platform/deliveries/webhook-channel-http.ts'
import { featureOf } from '../../platform/feature.ts'
import type { Outbound } from '../../platform/net/outbound.ts'
import type { Licensing, Operation } from '../../platform/operations/operation.ts'
import { silent } from '../../platform/scheduler/scheduled-task.ts'
import type { Emails } from '../../reach/email/emails.ts'
import type { Monitors } from '../monitors/monitors.ts'
import { AlertMetrics } from './alert-metrics.ts'
import { type AlertUses, alertOperations } from './alert-operations.ts'
import { Alerts } from './alerts.ts'
import { type AlertMailUses, alertMailOperations } from './channels/alert-mail-operations.ts'
import { AlertMailboxes } from './channels/alert-mailboxes.ts'
import { AlertNotifier } from './channels/alert-notifier.ts'
import { type AlertWebhookUses, alertWebhookOperations } from './channels/alert-webhook-operations.ts'
import { AlertWebhooks } from './channels/alert-webhooks.ts'
import type { RefusalTally } from './rules/refusal-tally.ts'
import * as settings from './settings.ts'

/** The tools and services that alerts use. */
export interface AlertNeeds {
  readonly outbound: Outbound
  readonly refusals: RefusalTally
  readonly monitors: Monitors
  readonly emails: Emails
}
/** The services of alerts. */
export interface AlertServices {
  readonly alerts: Alerts
  readonly alertMailboxes: AlertMailboxes
  readonly alertWebhooks: AlertWebhooks
}

const operations: readonly Operation<AlertUses & AlertWebhookUses & AlertMailUses & Licensing>[] = [
  ...alertOperations,
  ...alertWebhookOperations,
  ...alertMailOperations,
]

/** Alerts, and the webhooks and mailboxes that hear of them. */
export const alerts = featureOf<AlertNeeds>()({
  settings,
  sql: () => import('./alert-sql.ts'),
  services: (base, { outbound, refusals, monitors, emails }): AlertServices => {
    const { config, production } = base
    const { sending: mail } = emails
    const plainHttp = !production || config.outbound.allow.length > 0
    const channel = new HttpWebhookChannel(outbound, { plainHttp })
    const counts = { metrics: new AlertMetrics(base.metrics) }
    const notifier = new AlertNotifier({ ...base, ...counts, channel, mail })
    const sources = { monitors, refusals, notifier, thresholds: config.alerts }
    return {
      alerts: new Alerts({ ...base, ...counts, ...sources }),
      alertMailboxes: new AlertMailboxes({ ...base, mail }),
      alertWebhooks: new AlertWebhooks({ ...base, channel, plainHttp }),
    }
  },
  operations,
  events: ['alert.opened', 'alert.acknowledged', 'alert.resolved', 'host.offline', 'host.online'],
  tasks: ({ alerts }) => [
    { name: 'alerts', run: async (signal) => ({ alerted: (await alerts.evaluate(signal)).drifts }) },
    { name: 'alert-delivery', run: silent((signal) => alerts.deliver(signal)) },
  ],
  purge: ({ alerts }) => alerts.purge(),
})
