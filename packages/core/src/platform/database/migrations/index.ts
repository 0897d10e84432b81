import { foundation } from './0001-foundation.ts'
import { people } from './0002-people.ts'
import { monitors } from './0003-monitors.ts'
import { scheduler } from './0004-scheduler.ts'
import { chat } from './0005-chat.ts'
import { alerts } from './0006-alerts.ts'
import { logBodies } from './0007-log-bodies.ts'
import { roomForHeartbeats } from './0008-room-for-heartbeats.ts'
import { rareRows } from './0009-rare-rows.ts'
import { newestByState } from './0010-newest-by-state.ts'
import { logsGoWithJobs } from './0011-logs-go-with-jobs.ts'
import { deliveries } from './0012-deliveries.ts'
import { workOfHosts } from './0013-work-of-hosts.ts'
import { apiTokens } from './0014-api-tokens.ts'
import { deliveryEngine } from './0015-delivery-engine.ts'
import { emailDomains } from './0016-email-domains.ts'
import { images } from './0017-images.ts'
import { gitHooks } from './0018-git-hooks.ts'
import { nodeSecurity } from './0019-node-security.ts'
import { transferKeys } from './0020-transfer-keys.ts'
import { webhooks } from './0021-webhooks.ts'
import { emailSending } from './0022-email-sending.ts'
import { accessSessions } from './0023-access-sessions.ts'
import { billing } from './0024-billing.ts'
import { provisioning } from './0025-provisioning.ts'
import { attackSurface } from './0026-attack-surface.ts'
import { browser } from './0027-browser.ts'
import { moreEvents } from './0028-more-events.ts'
import { alertMailboxes } from './0029-alert-mailboxes.ts'
import { emailReminders } from './0030-email-reminders.ts'
import { provisioningEvents } from './0031-provisioning-events.ts'
import { checkoutAnswers } from './0032-checkout-answers.ts'
import { keysPassToWhatIsRun } from './0033-keys-pass-to-what-is-run.ts'
import { submodulesOfHooks } from './0034-submodules-of-hooks.ts'
import { agentOnly } from './0035-agent-only.ts'
import { lanesOfEndedJobs } from './0036-lanes-of-ended-jobs.ts'
import { troubledPaymentEvents } from './0037-troubled-payment-events.ts'
import { signals } from './0038-signals.ts'
import { apps } from './0039-apps.ts'
import { whoDeployed } from './0040-who-deployed.ts'
import { sealedEnvOfJobs } from './0041-sealed-env-of-jobs.ts'
import { accessModes } from './0042-access-modes.ts'
import { appDomains } from './0043-app-domains.ts'
import { observedApps } from './0044-observed-apps.ts'
import { appDatabases } from './0045-app-databases.ts'
import { severalHosts } from './0046-several-hosts.ts'
import { movesOfApps } from './0047-moves-of-apps.ts'
import { repeatsOfOrders } from './0048-repeats-of-orders.ts'
import { hostUsage } from './0049-host-usage.ts'
import { listsOfAYear } from './0050-lists-of-a-year.ts'
import { retention } from './0051-retention.ts'
import { archive } from './0052-archive.ts'
import { monthsOfLogs } from './0053-months-of-logs.ts'

/** The runner's table of applied migrations. */
export const RUNNER_TABLE = 'migrations'

/** One change of the schema. Never edited after release: a database remembers its checksum. */
export interface MigrationStep {
  /** `NNNN-what`, in the order of application. */
  readonly name: string
  readonly sql: readonly string[]
}

/** All migrations, oldest first. */
export const MIGRATIONS: readonly MigrationStep[] = [
  foundation,
  people,
  monitors,
  scheduler,
  chat,
  alerts,
  logBodies,
  roomForHeartbeats,
  rareRows,
  newestByState,
  logsGoWithJobs,
  deliveries,
  workOfHosts,
  apiTokens,
  deliveryEngine,
  emailDomains,
  images,
  gitHooks,
  nodeSecurity,
  transferKeys,
  webhooks,
  emailSending,
  accessSessions,
  billing,
  provisioning,
  attackSurface,
  browser,
  moreEvents,
  alertMailboxes,
  emailReminders,
  provisioningEvents,
  checkoutAnswers,
  keysPassToWhatIsRun,
  submodulesOfHooks,
  agentOnly,
  lanesOfEndedJobs,
  troubledPaymentEvents,
  signals,
  apps,
  whoDeployed,
  sealedEnvOfJobs,
  accessModes,
  appDomains,
  observedApps,
  appDatabases,
  severalHosts,
  movesOfApps,
  repeatsOfOrders,
  hostUsage,
  listsOfAYear,
  retention,
  archive,
  monthsOfLogs,
]
