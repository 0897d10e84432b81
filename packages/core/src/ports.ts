/**
 * `@svc/core/ports`: the ports of storage and of calls out, their records, and the pure rules that every
 * implementation of a port shares; beside them the types that suites name. For authors of fakes, of other
 * storages and of tests.
 */

export {
  type AccessSession,
  type AgentKeyRule,
  isLive,
  KEY_REFUSAL_SECONDS,
  MAX_DELIVERED,
  REDELIVER_SECONDS,
  RELAY_LOST_SECONDS,
  type RelayRole,
  SEEN_SECONDS,
} from './access/access-session.ts'
export type {
  AccessEnd,
  AccessFilter,
  AccessHost,
  AccessLimits,
  AccessSessionsStore,
  Admission,
  AgentKeyProof,
  HoldingRoles,
  KeyVerdict,
  NewAccessSession,
} from './access/access-sessions-store.ts'
export { type Agent, agentId, agentState, OFFLINE_SECONDS } from './agents/agent.ts'
export type { Heartbeat } from './agents/agents.ts'
export type {
  AgentChange,
  AgentsStore,
  HeartbeatOutcome,
  HeartbeatWrite,
  HostWork,
} from './agents/agents-store.ts'
export { REFRESH_TYP } from './agents/refresh.ts'
export { ALERT_KINDS, ALERT_SEVERITIES, type Alert, type AlertKind, alertStatus } from './alerts/alert.ts'
export {
  type AlertKey,
  type AlertTransition,
  FLAP_MS,
  isForgettable,
  type KeyedAlert,
  type LifecycleStep,
  newAlertKey,
  nextStep,
  REOPEN_MS,
  resolvedByHand,
  TICKS_APART_MS,
} from './alerts/alert-lifecycle.ts'
export type { Evaluation } from './alerts/alerts.ts'
export type {
  AlertActionEntry,
  AlertActionWrite,
  AlertContent,
  AlertFilter,
  AlertsStore,
  AlertWrite,
} from './alerts/alerts-store.ts'
export type {
  AlertAudience,
  AlertDeliveriesStore,
  AlertDeliveryReport,
  AlertDigest,
  AlertMailboxes,
  AlertWebhook,
} from './alerts/delivery/alert-deliveries-store.ts'
export { RETRY_JITTER, RETRY_SECONDS } from './alerts/delivery/alert-notifier.ts'
export type { AlertCondition } from './alerts/rules/alert-condition.ts'
export {
  type AlertFactsStore,
  CLONE_SECONDS,
  type Clone,
  GAP_NEWS_SECONDS,
  type RateLimitHits,
  REFUSAL_SECONDS,
} from './alerts/rules/alert-facts.ts'
export type { ApiToken } from './api-tokens/api-token.ts'
export type { ApiTokensStore, NewApiToken } from './api-tokens/api-tokens-store.ts'
export type {
  BillingStore,
  Checkout,
  CheckoutAnswer,
  CheckoutChange,
  CheckoutState,
  Dunning,
} from './billing/billing-store.ts'
export { factsOf, factsText } from './billing/event-facts.ts'
export type { LicenseBilling } from './billing/license-billing.ts'
export {
  PAYMENT_EVENT_STATES,
  type PaymentEvent,
  type PaymentEventState,
  type StoredPaymentEvent,
} from './billing/payment-event.ts'
export type {
  EventFilter,
  EventLease,
  EventSettlement,
  PaymentEventsStore,
} from './billing/payment-events-store.ts'
export type {
  CheckoutRequest,
  CheckoutSession,
  PaymentProvider,
} from './billing/payment-provider.ts'
export {
  isLive as isLiveSubscription,
  type ParkedReason,
  type StoredSubscription,
  SUBSCRIPTION_STATUSES,
  type Subscription,
} from './billing/subscription.ts'
export type {
  BrowserEngine,
  BrowserPage,
  ElementFacts,
  Extract,
  ExtractOptions,
  Navigation,
  PageFault,
  PageOptions,
  Screenshot,
  Snapshot,
} from './browser/browser-page.ts'
export { PageFailure } from './browser/browser-page.ts'
export type {
  BrowserRun,
  BrowserRunEnd,
  BrowserStore,
  NewBrowserRun,
  NewBrowserToken,
} from './browser/browser-store.ts'
export type { BrowserToken } from './browser/browser-token.ts'
export { ModelFailure, type ModelPrompt } from './chat/answer/language-model.ts'
export type { IncomingMessage } from './chat/chat.ts'
export type { ChatMode, Conversation } from './chat/conversation.ts'
export type {
  BotAnswer,
  ConversationsStore,
  NewConversation,
  NewMessage,
  Visit,
  VisitorMessage,
} from './chat/conversations-store.ts'
export { CHAT_ENGINES, type ChatEvent, type ChatSource } from './chat/message.ts'
export { settingsMarkdown } from './config/config-report.ts'
export type { Place } from './cursor.ts'
export {
  afterAttempt,
  type BreakerPolicy,
  type BreakerVerdict,
  NEW_RECIPIENT,
  PROBE_SECONDS,
  type RecipientState,
} from './deliveries/breaker.ts'
export type {
  DeliveriesStore,
  DeliverySettlement,
  DueCounts,
  TakeDueRequest,
} from './deliveries/deliveries-store.ts'
export type { Delivery, DeliveryReport, DeliveryTarget, NewDelivery } from './deliveries/delivery.ts'
export type { Deployment } from './deployments/deployment.ts'
export type { DeploymentFilter, DeploymentsStore, NewDeployment } from './deployments/deployments-store.ts'
export {
  type AnswerSet,
  canonicalExpected,
  canonicalSet,
  canonicalValue,
  fits,
  MATCHES,
  RECORD_TYPES,
  type RecordType,
  sameSet,
  setOf,
} from './dns/dns-answer.ts'
export type { DnsBatch, DnsQuestion, DnsReply } from './dns/dns-client.ts'
export type { MailRelay } from './email/delivery/mail-relay.ts'
export type { EmailDomain } from './email/domains/email-domain.ts'
export type {
  DomainSettlement,
  EmailDomainsStore,
  NewEmailDomain,
} from './email/domains/email-domains-store.ts'
export { type EmailKey, newEmailKey } from './email/keys/email-key.ts'
export type { EmailKeysStore, NewEmailKey } from './email/keys/email-keys-store.ts'
export type { ReminderSubject } from './email/reminders/reminder.ts'
export type {
  NewReminder,
  ReminderMessage,
  RemindersStore,
} from './email/reminders/reminders-store.ts'
export type { EmailMessage, EmailRecipientState } from './email/sending/email-message.ts'
export { MESSAGE_STATES, RECIPIENT_STATES, STOPPED } from './email/sending/email-message.ts'
export type {
  EmailMessagesStore,
  NewEmailMessage,
  RememberedAnswer,
  SealedBody,
} from './email/sending/email-messages-store.ts'
export type { EmailSuppression, EmailSuppressionsStore } from './email/sending/email-suppressions-store.ts'
export type { GitHook, GitHookSettings } from './git/git-hook.ts'
export {
  type DeliveryKey,
  type GitDelivery,
  type GitHooksStore,
  HOOK_SECRETS,
  type HookSecret,
  type HookSecretKind,
  hookSecretId,
  type NewGitDelivery,
  type NewGitHook,
  SAME_BODY_HOURS,
} from './git/git-hooks-store.ts'
export { firstIdAt, randomIds, spellId } from './ids.ts'
export { type Image, type ImageContent, isSameContent } from './images/image.ts'
export type {
  ImageFilter,
  ImageRepository,
  ImagesStore,
  NewImage,
  Registered,
} from './images/images-store.ts'
export type { Claim } from './jobs/host-works.ts'
export { JOB_KINDS, MAX_ATTEMPTS, TIMEOUT_SECONDS } from './jobs/job.ts'
export {
  cutLine,
  EMPTY_LOG,
  isFull,
  type LogPosition,
  LogRoom,
  MAX_ACCEPTED_LINES,
  MAX_JOB_CHARS,
  MAX_JOB_LINES,
  MAX_VIEW_CHARS,
  mayHaveMore,
  placeLines,
} from './jobs/job-log.ts'
export { reportEffect, stateAfterReport } from './jobs/job-report.ts'
export type { Jobs } from './jobs/jobs.ts'
export type {
  AttemptLines,
  CancelWrite,
  JobCounts,
  JobFilter,
  JobsStore,
  LeaseAnswer,
  LeaseRequest,
  ListedJob,
  LogOutcome,
  LogWrite,
  NewJob,
  Owner,
  ReportedJob,
  StatusOutcome,
  StatusWrite,
  SupersedeWrite,
  SweepResult,
} from './jobs/jobs-store.ts'
export {
  CANCEL_CONFIRM_SECONDS,
  CANCELLED_ERROR,
  GIVEN_BACK_ERROR,
  isSpent,
  LATE_LOGS_SECONDS,
  LEASE_SECONDS,
  leaseEnd,
  lostError,
  needsRenewal,
  SUPERSEDED_ERROR,
  UNCONFIRMED_ERROR,
} from './jobs/lease.ts'
export { isRunBy } from './jobs/run-kinds.ts'
export { ACTIVATION_TYP, AGENT_AUDIENCE } from './licenses/activation.ts'
export { isUsable, LICENSE_STATUSES, type LicenseStatus } from './licenses/license.ts'
export { LICENSE_DEEDS, type LicenseDeed } from './licenses/license-deed.ts'
export type {
  LicenseCalls,
  LicenseChange,
  LicenseName,
  LicensesStore,
  NewLicense,
} from './licenses/licenses-store.ts'
export {
  CONFIRMATIONS,
  INTERVAL_SECONDS,
  MONITOR_STATES,
  type Monitor,
  type MonitorDefinition,
  type MonitorOwner,
  type MonitorState,
  monitorState,
} from './monitors/monitor.ts'
export {
  combine,
  isDifference,
  type Judgement,
  judge,
  nextRunSeconds,
  type Observation,
} from './monitors/monitor-run.ts'
export type { AddMonitorInput } from './monitors/monitors.ts'
export {
  HISTORY_ENTRIES,
  type HistoryEntry,
  type MonitorsStore,
  type NewMonitor,
  type Redefinition,
  type Settlement,
} from './monitors/monitors-store.ts'
export type { Resolver } from './net/dns.ts'
export { operatorOutbound } from './net/operator-outbound.ts'
export type { OutboundAnswer, OutboundRequest } from './net/outbound-request.ts'
export { appliedState, DRIFT_STATES, ROLLED_BACK } from './node-security/applied-security.ts'
export {
  APPLIED_STATES,
  type HostKey,
  type HostSecurity,
  KEPT_REVISIONS,
  type NewSecurityRevision,
  type NodeSecurityStore,
  type SecurityRevision,
  type SecurityStanding,
} from './node-security/node-security-store.ts'
export {
  readSecuritySettings,
  type SecuritySettings,
  settingsDigest,
} from './node-security/security-settings.ts'
export {
  type AuditEntry,
  type AuditFilter,
  type AuditStore,
  CUT_INPUT,
  MAX_AUDIT_CHARS,
} from './operations/audit-store.ts'
export { ADMIN_ROLES, permissionsOf, TENANT_ROLES } from './operations/permission.ts'
export { HttpLanguageModel } from './outside/language-model/language-model-http.ts'
export { Passwords } from './passwords/passwords.ts'
export { type CatalogEntry, catalogFaults } from './provisioning/catalog.ts'
export { CREDENTIAL_STATES, type Credential } from './provisioning/credential.ts'
export type { Gate } from './provisioning/gates.ts'
export {
  BUILDING_STATES,
  ENDED_STATES,
  fingerprintOf,
  mayHaveServer,
  ORDER_STATES,
  type Order,
  type OrderState,
  PROVIDERS,
  type ProviderName,
  providerNameOf,
  TRANSITIONS,
} from './provisioning/order.ts'
export { CREATE_TIMEOUT_MS } from './provisioning/order-timing.ts'
export {
  type CreateNote,
  type CreateNoteOutcome,
  HELD_BY_CREDENTIAL,
  type NewOrder,
  ORDER_EVENTS,
  type OrderChange,
  type OrderEvent,
  type OrderFilter,
  type OrderMove,
  type ProvisioningStore,
  type ReservationOutcome,
  type ReservationRequest,
  type Reserved,
  STEP_OUTCOMES,
  type StepOutcome,
} from './provisioning/provisioning-store.ts'
export { type ScheduledTask, TASKS } from './scheduler/scheduled-task.ts'
export { type Scheduler, TICK_MS } from './scheduler/scheduler.ts'
export type { SchedulerStore } from './scheduler/scheduler-store.ts'
export {
  PENDING_SECONDS,
  type Proof,
  type SecondFactor,
  type SecondFactorsStore,
} from './second-factors/second-factors-store.ts'
export { Keyring, type SealState } from './secrets/keyring.ts'
export {
  placeOf,
  SECRET_COLUMN_NAMES,
  SECRET_COLUMNS,
  type SecretColumn,
  type SecretColumnName,
  type SecretsStore,
  type StoredSecret,
} from './secrets/secrets-store.ts'
export { openSession, sealSession, sessionIdOf } from './sessions/session-cookie.ts'
export type { MintedSession } from './sessions/sessions.ts'
export {
  ENDED_DAYS,
  type NewSession,
  type OtherSessions,
  SESSION_SECONDS,
  type SessionsStore,
  sessionPublicId,
  TOUCH_SECONDS,
} from './sessions/sessions-store.ts'
export { secretDigest } from './signing/same-secret.ts'
export { REQUIRED_TABLES, type StorageHealth, type Stores } from './storage/storage.ts'
export {
  FINDING_SEVERITIES,
  FINDING_STATUSES,
  type Finding,
  type FindingCounts,
  findingFingerprint,
  NO_FINDINGS,
  type SurfaceFinding,
} from './surface/surface-finding.ts'
export { EMPTY_RESULT, isActive, SURFACE_CHECKS, type SurfaceScan } from './surface/surface-scan.ts'
export type {
  NewScan,
  ScanSettlement,
  StartOutcome,
  SurfaceScansStore,
} from './surface/surface-scans-store.ts'
export type { SurfaceTarget } from './surface/surface-target.ts'
export type { SurfaceTargetsStore } from './surface/surface-targets-store.ts'
export type { Tenant } from './tenants/tenant.ts'
export type { TenantsStore } from './tenants/tenants-store.ts'
export { PIN_TRIES, type TransferKey, transferKeyState } from './transfer-keys/transfer-key.ts'
export type {
  NewTransferKey,
  Redemption,
  TransferKeysStore,
  TransferUse,
} from './transfer-keys/transfer-keys-store.ts'
export type { User } from './users/user.ts'
export type { NewUser, UserChange, UsersStore } from './users/users-store.ts'
export { EVENT_TYPES, type EventType, patternsOf } from './webhooks/event-types.ts'
export type {
  DeliveryAttempt,
  EndpointDelivery,
  EndpointState,
  WebhookEndpoint,
} from './webhooks/webhook-endpoint.ts'
export type { NewEndpoint, ReplayWrite, WebhooksStore } from './webhooks/webhooks-store.ts'
