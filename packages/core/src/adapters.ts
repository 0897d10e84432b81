/**
 * `@svc/core/adapters`: the core's parts for the HTTP adapter and the command line: the shapes of requests
 * and answers, the checks of the system, and the parts of the relay, the browser and the agent. It changes
 * with them: applications use `@svc/core`.
 */

export { ASKED as ACCESS_ASKED, OPENED as ACCESS_OPENED } from './access/access-operations.ts'
export { AccessRefusal } from './access/access-refusal.ts'
export type { AccessTicket, PendingAnswer } from './access/access-request.ts'
export type { RelayRole } from './access/access-session.ts'
export type { AccessView } from './access/access-view.ts'
export { proofBytes } from './access/agent-proof.ts'
export { type AdmittedSession, MemoryLedger, type RelayLedger, StoredLedger } from './access/relay-ledger.ts'
export type { RelayEnd, RelayMetrics, UpgradeRefusal } from './access/relay-metrics.ts'
export { audienceOf, type CheckedTicket, checkTicket, RELAY_TYP } from './access/relay-token.ts'
export { type CurrentCredentials, sessionView } from './accounts/accounts.ts'
export { membershipOf, operatorOf } from './accounts/caller.ts'
export { AmbiguousHost } from './agents/host-name.ts'
export { ALERT_ACTIONS, ALERT_STATUSES } from './alerts/alert.ts'
export { ALERTS_LISTED } from './alerts/alert-list.ts'
export type { AlertStoryView } from './alerts/alert-operations.ts'
export type { MailboxesView } from './alerts/delivery/alert-mail-operations.ts'
export type { WebhookView } from './alerts/delivery/alert-webhook-operations.ts'
export { isApiTokenLike } from './api-tokens/api-token.ts'
export type { TokenView } from './api-tokens/api-token-operations.ts'
export type { TokenCaller } from './api-tokens/api-tokens.ts'
export type { PaymentEventView } from './billing/billing-event-operations.ts'
export {
  type BillingStatusView,
  CHECKOUT_FIELDS,
  type CheckoutView,
  checkoutView,
  type TierView,
} from './billing/billing-operations.ts'
export type { PageStep } from './browser/agent-action.ts'
export type { AgentAnswer, AgentStep } from './browser/agent-answer.ts'
export { BROWSER_ANSWERS } from './browser/browser-answers.ts'
export type { BrowserRunView, BrowserTokenView } from './browser/browser-operations.ts'
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
  type Screenshot,
  type Snapshot,
} from './browser/browser-page.ts'
export { agentBody, readAgentRequest, scrapeBody } from './browser/browser-requests.ts'
export { type BrowserCaller, isBrowserTokenLike } from './browser/browser-token.ts'
export { pageGuard } from './browser/feature.ts'
export { isWithinDomains } from './browser/page-domains.ts'
export type { ScrapeAnswer } from './browser/scrape.ts'
export type { MessageView } from './chat/chat-operations.ts'
export { CHAT_CATEGORIES, CHAT_MODES } from './chat/conversation.ts'
export { siteOrigins } from './chat/site.ts'
export { folderAccess, ownFolder, requireTrustedSocket, trustedFolder } from './database/data-folder.ts'
export { lockFolder } from './database/folder-lock.ts'
export type { DomainHealthView } from './email/domains/email-domain-view.ts'
export { EMAIL_PAGE } from './email/email-page.ts'
export type { EmailMessageView, SuppressionView } from './email/email-queue-operations.ts'
export type { EmailKey } from './email/keys/email-key.ts'
export type { EmailKeyView } from './email/keys/email-key-operations.ts'
export { REMINDER_RUN, type ReminderRunView, reminderRunView } from './email/reminders/reminder-operations.ts'
export { sendBody } from './email/sending/send-body.ts'
export { endOfString, requireExact } from './exact-json.ts'
export type { GitDeliveryView } from './git/git-hook-view.ts'
export type { GitMessage, GitSender } from './git/git-pushes.ts'
export type { PushOutcome } from './git/push/push-delivery.ts'
export { dnsCheck } from './health/reach-checks.ts'
export { sessionSecretCheck, signingKeyCheck } from './health/secret-checks.ts'
export { settingsChecks } from './health/settings-checks.ts'
export { diskFinding, storageChecks } from './health/storage-checks.ts'
export { type Finding, type NamedCheck, SystemCheck } from './health/system-check.ts'
export { SYSTEM_DETAILS, type SystemDetail } from './health/system-detail.ts'
export { isIdEnd } from './id-end.ts'
export { IMAGE_STATES } from './images/image.ts'
export { type ImageRegistration, imageRegistration } from './images/image-fields.ts'
export { MAX_LINE_CHARS, MAX_REQUEST_LINES } from './jobs/job-log.ts'
export { MAX_ERROR_CHARS } from './jobs/job-report.ts'
export { claimedJobView } from './jobs/job-view.ts'
export type { Licensee } from './licenses/license.ts'
export { isEmailKeyLike } from './licenses/license.ts'
export type { LicenseDeed } from './licenses/license-deed.ts'
export type { HistoryView, ObservationView } from './monitors/monitor-view.ts'
export { clientAddress, clientNetworks } from './net/client-network.ts'
export type { EgressLane, RefusedCall } from './net/egress-lane.ts'
export { EgressProxy } from './net/egress-proxy.ts'
export { PageGuard, type PageRefusal } from './net/page-guard.ts'
export { isPublicAddress } from './net/public-address.ts'
export { ROLLED_BACK } from './node-security/applied-security.ts'
export { firewallJson, firewallJsonOf } from './node-security/firewall-json.ts'
export { FIREWALL_CHAIN, FIREWALL_TABLE, PICKUP_COMMENT } from './node-security/firewall-rules.ts'
export { closedPorts, lockOuts, SSH_PORT } from './node-security/lock-out.ts'
export { ROLLBACK_SECONDS } from './node-security/rollback.ts'
export {
  readSecuritySettings,
  type SecuritySettings,
  securitySettings,
  settingsDigest,
} from './node-security/security-settings.ts'
export {
  type DryRunView,
  dryRunView,
  outcomeView,
  SECURITY_ANSWERS,
  type SecurityOutcomeView,
  type SecurityView,
  securityView,
} from './node-security/security-view.ts'
export { mayRun } from './operations/operator.ts'
export { MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from './passwords/passwords.ts'
export { GATES } from './provisioning/gates.ts'
export { worked } from './provisioning/provisioning-answers.ts'
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
} from './provisioning/provisioning-view.ts'
export { race } from './race.ts'
export { RecentMap } from './recent-map.ts'
export { redact } from './redaction/redactor.ts'
export type { SecretCounts } from './secrets/keyring.ts'
export type { RotatedBatch } from './secrets/secrets.ts'
export { IDLE_SECONDS } from './sessions/sessions-store.ts'
export { shellWord } from './shell-word.ts'
export { publicKeyTexts } from './signing/json-web-key.ts'
export { scanRequest, targetRequest } from './surface/surface-fields.ts'
export {
  type ScanView as SurfaceScanView,
  type SeenTargetView as SurfaceTargetView,
  SURFACE_SHAPES,
  scanHead,
  scanView,
  seenTargetView,
  targetView,
} from './surface/surface-view.ts'
export {
  transferMint,
  transferRedeem,
  transferRevoke,
  transferScope,
} from './transfer-keys/transfer-fields.ts'
export { peerDigest } from './transfer-keys/transfer-key.ts'
export type { RedeemAnswer } from './transfer-keys/transfer-keys.ts'
export {
  readTransferKey,
  type TransferToken,
  type TransferTokenVerdict,
} from './transfer-keys/transfer-token.ts'
export { normalEmail } from './users/user.ts'
export {
  anyText,
  checkOf,
  type Fields,
  field,
  finite,
  flag,
  freeObject,
  instant,
  type JsonSchema,
  type ListSchema,
  listOf,
  oneOf,
  openShape,
  read,
  shape,
  text,
  whole,
} from './validation.ts'
export type { AttemptView, EndpointDeliveryView } from './webhooks/webhook-view.ts'
export { relaySignerOf } from './wiring/base.ts'
export { yieldToEventLoop } from './yield-to-event-loop.ts'
