/**
 * `@svc/core/adapters`: the core's parts for the HTTP adapter and the command line: the shapes of requests
 * and answers, the checks of the system, and the parts of the relay, the browser and the agent. It changes
 * with them: applications use `@svc/core`.
 */

export { ASKED as ACCESS_ASKED, OPENED as ACCESS_OPENED } from './hosts/access/access-operations.ts'
export { AccessRefusal } from './hosts/access/access-refusal.ts'
export type { AccessTicket, PendingAnswer } from './hosts/access/access-request.ts'
export type { RelayRole } from './hosts/access/access-session.ts'
export type { AccessView } from './hosts/access/access-view.ts'
export {
  type AdmittedSession,
  MemoryLedger,
  type RelayLedger,
  StoredLedger,
} from './hosts/access/relay-ledger.ts'
export type { RelayEnd, RelayMetrics, UpgradeRefusal } from './hosts/access/relay-metrics.ts'
export {
  audienceOf,
  type CheckedTicket,
  checkTicket,
  RELAY_TYP,
  relaySignerOf,
} from './hosts/access/relay-token.ts'
export { ROLLED_BACK } from './hosts/node-security/applied-security.ts'
export { firewallJson, firewallJsonOf } from './hosts/node-security/firewall-json.ts'
export { FIREWALL_CHAIN, FIREWALL_TABLE, PICKUP_COMMENT } from './hosts/node-security/firewall-rules.ts'
export { closedPorts, lockOuts, SSH_PORT } from './hosts/node-security/lock-out.ts'
export { ROLLBACK_SECONDS } from './hosts/node-security/node-security-operations.ts'
export {
  readSecuritySettings,
  type SecuritySettings,
  securitySettings,
  settingsDigest,
} from './hosts/node-security/security-settings.ts'
export {
  type DryRunView,
  dryRunView,
  outcomeView,
  SECURITY_ANSWERS,
  type SecurityOutcomeView,
  type SecurityView,
  securityView,
} from './hosts/node-security/security-view.ts'
export { GATES } from './hosts/provisioning/order.ts'
export { worked } from './hosts/provisioning/provisioning-answers.ts'
export {
  type BudgetView,
  type CatalogView,
  type CredentialView,
  type OrderEventView,
  type PreviewView,
  type ReconciliationView,
  type ServerView,
  type StepView,
  workView,
} from './hosts/provisioning/provisioning-view.ts'
export {
  transferMint,
  transferRedeem,
  transferRevoke,
  transferScope,
} from './hosts/transfer-keys/transfer-fields.ts'
export { peerDigest } from './hosts/transfer-keys/transfer-key.ts'
export type { RedeemAnswer } from './hosts/transfer-keys/transfer-keys.ts'
export {
  readTransferKey,
  type TransferToken,
  type TransferTokenVerdict,
} from './hosts/transfer-keys/transfer-token.ts'
export { duration } from './kernel/duration.ts'
export { endOfString, requireExact } from './kernel/exact-json.ts'
export { race } from './kernel/race.ts'
export { RecentMap } from './kernel/recent-map.ts'
export { redact } from './kernel/redaction/redactor.ts'
export { shellWord } from './kernel/shell-word.ts'
export {
  anyText,
  type ChoiceSchema,
  checkOf,
  choiceIn,
  type Fields,
  field,
  finite,
  flag,
  freeObject,
  instant,
  isSamePart,
  type JsonSchema,
  LAST_SECOND,
  type ListSchema,
  listOf,
  type MapSchema,
  namedShape,
  nameOf,
  oneOf,
  openShape,
  read,
  shape,
  text,
  whole,
} from './kernel/validation.ts'
export { yieldToEventLoop } from './kernel/yield-to-event-loop.ts'
export { type CurrentCredentials, sessionView } from './people/accounts/accounts.ts'
export { membershipOf, operatorOf } from './people/accounts/caller.ts'
export { isApiTokenLike } from './people/api-tokens/api-token.ts'
export type { TokenView } from './people/api-tokens/api-token-operations.ts'
export type { TokenCaller } from './people/api-tokens/api-tokens.ts'
export type { Licensee } from './people/licenses/license.ts'
export { isEmailKeyLike } from './people/licenses/license.ts'
export type { LicenseDeed } from './people/licenses/license-deed.ts'
export { IDLE_SECONDS } from './people/sessions/sessions-store.ts'
export { firstAccount } from './people/users/user-operations.ts'
export { normalEmail } from './people/users/users-store.ts'
export { ArchiveFolder, type VerifiedFile } from './platform/archive/archive-folder.ts'
export { folderAccess, ownFolder } from './platform/database/data-folder.ts'
export { lockFolder } from './platform/database/folder-lock.ts'
export { withSocketPath } from './platform/database/lock-socket.ts'
export { clientAddress, clientNetworks } from './platform/net/client-network.ts'
export { codeOf as outboundCodeOf, OutboundRefused } from './platform/net/outbound-refusal.ts'
export {
  PageGuard,
  type PageRefusal,
  type Place as PagePlace,
  pageRefusalOf,
} from './platform/net/page-guard.ts'
export { isPublicAddress } from './platform/net/public-address.ts'
export { mayRun } from './platform/operations/operator.ts'
export { MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from './platform/passwords/passwords.ts'
export type { SecretCounts } from './platform/secrets/keyring.ts'
export type { RotatedBatch } from './platform/secrets/secrets.ts'
export { jwkSetShape, publicKeyTexts } from './platform/signing/json-web-key.ts'
export type { PaymentEventView } from './reach/billing/billing-event-operations.ts'
export {
  type BillingStatusView,
  CHECKOUT_FIELDS,
  type CheckoutView,
  checkoutView,
  type TierView,
} from './reach/billing/billing-operations.ts'
export type { PageStep } from './reach/browser/agent-action.ts'
export type { AgentStep } from './reach/browser/agent-answer.ts'
export type { AgentAnswer, ScrapeAnswer } from './reach/browser/browser-answers.ts'
export { BROWSER_ANSWERS } from './reach/browser/browser-answers.ts'
export type { BrowserRunView, BrowserTokenView } from './reach/browser/browser-operations.ts'
export {
  type BrowserPage,
  type ElementFacts,
  type Extract,
  type ExtractOptions,
  type LoadState,
  type Navigation,
  PageFailure,
  type PageFault,
  type PageOptions,
  type PagePhase,
  type RefusedCall,
  type Screenshot,
  type Snapshot,
} from './reach/browser/browser-page.ts'
export { agentBody, readAgentRequest, scrapeBody } from './reach/browser/browser-requests.ts'
export { type BrowserCaller, isBrowserTokenLike } from './reach/browser/browser-token.ts'
export { pageGuard } from './reach/browser/feature.ts'
export { isWithinDomains } from './reach/browser/page-domains.ts'
export type { MessageView } from './reach/chat/chat-operations.ts'
export { CHAT_CATEGORIES, CHAT_MODES } from './reach/chat/conversation.ts'
export { siteOrigins } from './reach/chat/site.ts'
export type { DomainHealthView } from './reach/email/domains/email-domain-view.ts'
export { EMAIL_PAGE } from './reach/email/email-page.ts'
export type { EmailMessageView, SuppressionView } from './reach/email/email-queue-operations.ts'
export type { EmailKey } from './reach/email/keys/email-key.ts'
export type { EmailKeyView } from './reach/email/keys/email-key-operations.ts'
export {
  REMINDER_RUN,
  type ReminderRunView,
  reminderRunView,
} from './reach/email/reminders/reminder-operations.ts'
export { sendBody } from './reach/email/sending/send-body.ts'
export type { AttemptView, EndpointDeliveryView } from './reach/webhooks/webhook-view.ts'
export { ALERT_ACTIONS, ALERT_STATUSES } from './watch/alerts/alert.ts'
export { ALERTS_LISTED } from './watch/alerts/alert-list.ts'
export type { AlertStoryView } from './watch/alerts/alert-operations.ts'
export type { MailboxesView } from './watch/alerts/channels/alert-mail-operations.ts'
export type { WebhookView } from './watch/alerts/channels/alert-webhook-operations.ts'
export { dnsCheck } from './watch/health/reach-checks.ts'
export { readiness } from './watch/health/readiness.ts'
export { sessionSecretCheck, signingKeyCheck } from './watch/health/secret-checks.ts'
export { settingsChecks } from './watch/health/settings-checks.ts'
export { diskFinding, storageChecks } from './watch/health/storage-checks.ts'
export { type Finding, type NamedCheck, SystemCheck } from './watch/health/system-check.ts'
export { SYSTEM_DETAILS, type SystemDetail } from './watch/health/system-detail.ts'
export { LIVE_LISTS, LIVE_THINGS, type LiveSubject } from './watch/live/live-store.ts'
export type { HistoryView, ObservationView } from './watch/monitors/monitor-view.ts'
export { scanRequest, targetRequest } from './watch/surface/surface-fields.ts'
export {
  type ScanView as SurfaceScanView,
  type SeenTargetView as SurfaceTargetView,
  SURFACE_SHAPES,
  scanHead,
  scanView,
  seenTargetView,
  targetView,
} from './watch/surface/surface-view.ts'
export { agentId } from './work/agents/agent.ts'
export { claimRequest, proofBytes } from './work/agents/agent-proof.ts'
export { AmbiguousHost } from './work/agents/host-name.ts'
export type { AppPlan, FileImage, ReleaseFacts } from './work/apps/app-plan.ts'
export type { HostImage } from './work/apps/container.ts'
export { isSchedule, isTimezone, Schedule } from './work/apps/cron-schedule.ts'
export {
  type DatabaseOrder,
  ENGINES,
  type HostDatabase,
  type HostDatabases,
  readDatabaseOrder,
  readHostDatabases,
  VARIABLE_OF,
} from './work/apps/database.ts'
export {
  type AppCron,
  type AppProcess,
  type AppStop,
  type AppVolumes,
  DEFINITION_FILE as APP_DEFINITION_FILE,
  isVisited,
  readDefinition as readAppDefinition,
  WEB as WEB_PROCESS,
} from './work/apps/definition.ts'
export {
  bodyBytes,
  type ExposeOrder,
  type Exposure,
  MAX_DOMAINS,
  readExposeOrder,
  readUnexposeOrder,
} from './work/apps/exposure.ts'
export { findApp, imagePlan } from './work/apps/found-app.ts'
export {
  type AdjustOrder,
  type AppRelease,
  type BuildOrder,
  type DataOrder,
  type DeployOrder,
  type HostApps,
  type ImageOrder,
  isWithEnv,
  leavesData,
  noHostApps,
  readAdjustment,
  readAdjustOrder,
  readAppOrder,
  readBuildOrder,
  readDataOrder,
  readDeployOrder,
  readHostApps,
  readHostImage,
  readImageOrder,
  readPackagesOrder,
  readRemoveOrder,
  readRoll,
  readRunOrder,
  readScriptOrder,
  readSupervisorLine,
  type ScriptOrder,
  type SupervisorLine,
} from './work/apps/host-apps.ts'
export { MAX_OBSERVED, type ObservedEntry, observedEntry } from './work/apps/observed-app.ts'
export { type RegistryLogins, withoutLogins } from './work/apps/registry-login.ts'
export type { AppContainer, AppService } from './work/apps/service.ts'
export type { GitDeliveryView } from './work/git/git-hook-view.ts'
export type { GitMessage, GitSender } from './work/git/git-pushes.ts'
export type { PushOutcome } from './work/git/push/push-delivery.ts'
export { IMAGE_STATES } from './work/images/image.ts'
export { type ImageRegistration, imageRegistration } from './work/images/image-fields.ts'
export { MAX_CLAIM_WAIT_SECONDS, type WaitedAnswer } from './work/jobs/claim-waits.ts'
export { claimedJob } from './work/jobs/job-answers.ts'
export { MAX_LINE_CHARS, MAX_REQUEST_LINES } from './work/jobs/job-log.ts'
export { MAX_ERROR_CHARS } from './work/jobs/job-report.ts'
export { claimedJobView } from './work/jobs/job-view.ts'
export type { LeaseAnswer } from './work/jobs/jobs-store.ts'
