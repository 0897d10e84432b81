import { AlertMetrics } from '../alerts/alert-metrics.ts'
import { Alerts } from '../alerts/alerts.ts'
import { AlertMailboxes } from '../alerts/delivery/alert-mailboxes.ts'
import { AlertNotifier } from '../alerts/delivery/alert-notifier.ts'
import { AlertWebhooks } from '../alerts/delivery/alert-webhooks.ts'
import type { RefusalTally } from '../alerts/rules/refusal-tally.ts'
import type { ControlPlaneParts } from '../control-plane.ts'
import { HttpWebhookChannel } from '../deliveries/webhook-channel-http.ts'
import type { EmailSending } from '../email/sending/email-sending.ts'
import type { Monitors } from '../monitors/monitors.ts'
import { systemResolver } from '../net/dns-system.ts'
import { createOutbound, type Outbound } from '../net/outbound.ts'
import type { Base } from './base.ts'

/** Sources of the alert rules beside the stores. */
export interface AlertSources {
  readonly monitors: Monitors
  readonly refusals: RefusalTally
  readonly mail: EmailSending
}

/** The longest that the settings of webhooks let an endpoint take. */
const LIMITS = { answerMs: 30_000, totalMs: 30_000 }

/** Makes the client of calls to webhooks. */
export function webhookOutbound({ config, log }: Base, { outbound }: ControlPlaneParts): Outbound {
  return outbound ?? createOutbound({ resolver: systemResolver(), log, ...config.outbound, limits: LIMITS })
}

/** Wires alerts and their webhooks. */
export function alertsOf(base: Base, outbound: Outbound, { mail, ...sources }: AlertSources) {
  const { config, production, metrics } = base
  const plainHttp = !production || config.outbound.allow.length > 0
  const channel = new HttpWebhookChannel(outbound, { plainHttp })
  const counts = { metrics: new AlertMetrics(metrics) }
  const notifier = new AlertNotifier({ ...base, ...counts, channel, mail })
  return {
    alerts: new Alerts({ ...base, ...counts, ...sources, thresholds: config.alerts, notifier }),
    alertMailboxes: new AlertMailboxes({ ...base, mail }),
    alertWebhooks: new AlertWebhooks({ ...base, channel, plainHttp }),
  }
}
