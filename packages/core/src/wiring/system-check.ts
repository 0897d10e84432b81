import type { Access } from '../access/access.ts'
import type { Chat } from '../chat/chat.ts'
import type { ControlPlaneParts } from '../control-plane.ts'
import { EMAIL_DELIVERY, RELAY } from '../email/delivery/email-queue.ts'
import type { ModelProbe } from '../health/model-probe.ts'
import { httpModelProbe } from '../health/model-probe-http.ts'
import { dnsCheck, languageModelCheck } from '../health/reach-checks.ts'
import { relayCheck } from '../health/relay-check.ts'
import {
  dataKeysCheck,
  licensingCheck,
  sessionSecretCheck,
  signingKeyCheck,
} from '../health/secret-checks.ts'
import { settingsChecks } from '../health/settings-checks.ts'
import { storageChecks } from '../health/storage-checks.ts'
import { SystemCheck } from '../health/system-check.ts'
import { docsIndexCheck, emailRelayCheck, queuesCheck, schedulerCheck } from '../health/work-checks.ts'
import type { Licenses } from '../licenses/licenses.ts'
import type { DnsClient } from '../monitors/dns-client.ts'
import { operatorOutbound } from '../net/operator-outbound.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { Base } from './base.ts'

/** Dependencies of the system check in addition to the base. */
export interface Checked {
  readonly access: Access
  readonly dns: DnsClient
  readonly chat: Chat
  readonly licenses: Licenses
  readonly secrets: Secrets
  /** Called when the check runs, since the scheduler is made later. */
  readonly scheduler: () => Scheduler
}

/** Wires the system check; each feature adds a line. */
export function systemCheckOf(base: Base, parts: ControlPlaneParts, checked: Checked): SystemCheck {
  const { config, storage, clock, timers, signer } = base
  const { access, chat, licenses } = checked
  const relayState = async () => {
    if (config.email.smtpUrl === undefined) return undefined
    const { breaker } = await storage.deliveries.recipient({ kind: EMAIL_DELIVERY, recipient: RELAY })
    return breaker === 'closed' ? 'up' : 'down'
  }
  const lastTick = () => checked.scheduler().lastTick()
  const checks = [
    ...storageChecks({ storage, clock }),
    schedulerCheck({ clock, lastTick, stallSeconds: config.alerts.stallSeconds }),
    queuesCheck(() => storage.jobs.counts(clock.statementTime())),
    signingKeyCheck(signer),
    sessionSecretCheck(config),
    dataKeysCheck(base.keyring, () => checked.secrets.count()),
    licensingCheck(licenses),
    dnsCheck(checked.dns, config.monitors.dnsServers),
    languageModelCheck(parts.modelProbe ?? modelProbeOf(base), config),
    relayCheck(config, storage.kind, () => access.lack),
    emailRelayCheck(relayState, config.faults.email !== undefined),
    docsIndexCheck(() => chat.documents(), config.faults.chat !== undefined),
    ...settingsChecks(config),
  ]
  return new SystemCheck({ clock, timers, checks })
}

function modelProbeOf({ config: { llm }, log }: Base): ModelProbe | undefined {
  const { apiKey, baseUrl } = llm
  return apiKey === undefined
    ? undefined
    : httpModelProbe({ apiKey, baseUrl, outbound: operatorOutbound({ log }) })
}
