import type { Access } from '../../hosts/access/access.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import type { Base } from '../../platform/base.ts'
import type { Groups } from '../../platform/config/settings.ts'
import type { DnsClient } from '../../platform/dns/dns-client.ts'
import { featureOf } from '../../platform/feature.ts'
import { silent } from '../../platform/scheduler/scheduled-task.ts'
import type { Scheduler } from '../../platform/scheduler/scheduler.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import type { Chat } from '../../reach/chat/chat.ts'
import { EMAIL_DELIVERY, RELAY } from '../../reach/email/smtp/email-queue.ts'
import type { Retention } from '../../work/retention/retention.ts'
import { healthOperations } from './health-operations.ts'
import type { ModelProbe } from './model-probe.ts'
import { dnsCheck, languageModelCheck } from './reach-checks.ts'
import { relayCheck } from './relay-check.ts'
import { dataKeysCheck, licensingCheck, sessionSecretCheck, signingKeyCheck } from './secret-checks.ts'
import * as settings from './settings.ts'
import { settingsChecks } from './settings-checks.ts'
import { storageChecks } from './storage-checks.ts'
import { SystemCheck } from './system-check.ts'
import {
  docsIndexCheck,
  emailRelayCheck,
  queuesCheck,
  retentionCheck,
  schedulerCheck,
} from './work-checks.ts'

/** The tools and services that the system check looks at. */
export interface Checked {
  readonly settings: Groups
  readonly outside: { readonly modelProbe: ModelProbe | undefined }
  readonly access: Access
  readonly dns: DnsClient
  readonly chat: Chat
  readonly licenses: Licenses
  readonly secrets: Secrets
  readonly retention: Retention
  /** Called when the check runs, since the scheduler is made later. */
  readonly scheduler: () => Scheduler
}

/** The check of the whole service; each feature adds a line. */
export const health = featureOf<Checked>()({
  settings,
  sql: async () => ({ entities: [], stores: () => ({}) }),
  services: (base, checked): { systemCheck: SystemCheck } => ({ systemCheck: systemCheckOf(base, checked) }),
  operations: healthOperations,
  tasks: ({ systemCheck }) => [{ name: 'system-check', run: silent(() => systemCheck.refresh()) }],
})

function systemCheckOf(base: Base, checked: Checked): SystemCheck {
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
    retentionCheck(() => checked.retention.finding()),
    signingKeyCheck(signer),
    sessionSecretCheck(config),
    dataKeysCheck(base.keyring, () => checked.secrets.count()),
    licensingCheck(licenses),
    dnsCheck(checked.dns, config.monitors.dnsServers),
    languageModelCheck(checked.outside.modelProbe, config),
    relayCheck(config, storage.kind, () => access.lack),
    emailRelayCheck(relayState, config.faults.email !== undefined),
    docsIndexCheck(() => chat.documents(), config.faults.chat !== undefined),
    ...settingsChecks(config, checked.settings),
  ]
  return new SystemCheck({ clock, timers, checks })
}
