/**
 * `@svc/core/ports`: the ports of storage and of calls out, their records, and the pure rules that every
 * implementation of a port shares; beside them the types that suites name. For authors of fakes, of other
 * storages and of tests.
 */

export {
  type AccessSession,
  type AgentKeyRule,
  DEPLOY_MODES,
  isLive,
  KEY_REFUSAL_SECONDS,
  MAX_DELIVERED,
  REDELIVER_SECONDS,
  RELAY_LOST_SECONDS,
  type RelayRole,
  SEEN_SECONDS,
} from './hosts/access/access-session.ts'
export type {
  AccessEnd,
  AccessFilter,
  AccessHost,
  AccessLimits,
  AccessSessionsStore,
  Admission,
  HoldingRoles,
  HostMeeting,
  KeyVerdict,
  NewAccessSession,
} from './hosts/access/access-sessions-store.ts'
export { appliedState, DRIFT_STATES, ROLLED_BACK } from './hosts/node-security/applied-security.ts'
export {
  APPLIED_STATES,
  type HostKey,
  type HostSecurity,
  KEPT_REVISIONS,
  type NewSecurityRevision,
  type NodeSecurityStore,
  type SecurityRevision,
  type SecurityStanding,
} from './hosts/node-security/node-security-store.ts'
export {
  readSecuritySettings,
  type SecuritySettings,
  settingsDigest,
} from './hosts/node-security/security-settings.ts'
export { type CatalogEntry, catalogFaults } from './hosts/provisioning/catalog.ts'
export { CREDENTIAL_STATES, type Credential } from './hosts/provisioning/credential.ts'
export type { Gate } from './hosts/provisioning/order.ts'
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
} from './hosts/provisioning/order.ts'
export { CREATE_TIMEOUT_MS } from './hosts/provisioning/order-timing.ts'
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
} from './hosts/provisioning/provisioning-store.ts'
export { PIN_TRIES, type TransferKey, transferKeyState } from './hosts/transfer-keys/transfer-key.ts'
export type {
  NewTransferKey,
  Redemption,
  TransferKeysStore,
  TransferUse,
} from './hosts/transfer-keys/transfer-keys-store.ts'
export type { Place } from './kernel/cursor.ts'
export { firstIdAt, randomIds, spellId } from './kernel/ids.ts'
export type { ApiToken } from './people/api-tokens/api-token.ts'
export type { ApiTokensStore, NewApiToken } from './people/api-tokens/api-tokens-store.ts'
export { ACTIVATION_TYP, AGENT_AUDIENCE } from './people/licenses/activation.ts'
export { isUsable, LICENSE_STATUSES, type LicenseStatus } from './people/licenses/license.ts'
export { LICENSE_DEEDS, type LicenseDeed } from './people/licenses/license-deed.ts'
export type {
  LicenseCalls,
  LicenseChange,
  LicenseName,
  LicensesStore,
  NewLicense,
} from './people/licenses/licenses-store.ts'
export {
  PENDING_SECONDS,
  type Proof,
  type SecondFactor,
  type SecondFactorsStore,
} from './people/second-factors/second-factors-store.ts'
export { openSession, sealSession, sessionIdOf } from './people/sessions/session-cookie.ts'
export type { MintedSession } from './people/sessions/sessions.ts'
export {
  ENDED_DAYS,
  type NewSession,
  type OtherSessions,
  SESSION_SECONDS,
  type SessionsStore,
  sessionPublicId,
  TOUCH_SECONDS,
} from './people/sessions/sessions-store.ts'
export type { Tenant, TenantsStore } from './people/tenants/tenants-store.ts'
export type { NewUser, User, UserChange, UsersStore } from './people/users/users-store.ts'
export {
  type BreakerPolicy,
  type BreakerVerdict,
  NEW_RECIPIENT,
  PROBE_SECONDS,
  type RecipientState,
} from './platform/deliveries/breaker.ts'
export type {
  DeliveriesStore,
  DeliverySettlement,
  DueCounts,
  TakeDueRequest,
} from './platform/deliveries/deliveries-store.ts'
export type { Delivery, DeliveryReport, DeliveryTarget, NewDelivery } from './platform/deliveries/delivery.ts'
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
} from './platform/dns/dns-answer.ts'
export type { DnsBatch, DnsQuestion, DnsReply } from './platform/dns/dns-client.ts'
export type { Resolver } from './platform/net/dns.ts'
export { operatorOutbound } from './platform/net/operator-outbound.ts'
export type { OutboundAnswer, OutboundRequest } from './platform/net/outbound-request.ts'
export {
  type AuditEntry,
  type AuditFilter,
  type AuditStore,
  CUT_INPUT,
  MAX_AUDIT_CHARS,
} from './platform/operations/audit-store.ts'
export { ADMIN_ROLES, permissionsOf, TENANT_ROLES } from './platform/operations/permission.ts'
export { Passwords } from './platform/passwords/passwords.ts'
export { type ScheduledTask, TASKS } from './platform/scheduler/scheduled-task.ts'
export { type Scheduler, TICK_MS } from './platform/scheduler/scheduler.ts'
export type { SchedulerStore } from './platform/scheduler/scheduler-store.ts'
export { Keyring, type SealState } from './platform/secrets/keyring.ts'
export {
  placeOf,
  SECRET_COLUMN_NAMES,
  SECRET_COLUMNS,
  type SecretColumn,
  type SecretColumnName,
  type SecretsStore,
  type StoredSecret,
} from './platform/secrets/secrets-store.ts'
export { type Hearer, readSignal, type Signal } from './platform/signals/signal.ts'
export { Signals } from './platform/signals/signals.ts'
export { secretDigest } from './platform/signing/same-secret.ts'
export { REQUIRED_TABLES, type StorageHealth, type Stores } from './platform/storage/storage.ts'
export type {
  BillingStore,
  Checkout,
  CheckoutAnswer,
  CheckoutChange,
  CheckoutState,
  Dunning,
} from './reach/billing/billing-store.ts'
export { factsOf, factsText } from './reach/billing/event-facts.ts'
export type { LicenseBilling } from './reach/billing/license-billing.ts'
export {
  PAYMENT_EVENT_STATES,
  type PaymentEvent,
  type PaymentEventState,
  type StoredPaymentEvent,
} from './reach/billing/payment-event.ts'
export type {
  EventFilter,
  EventLease,
  EventSettlement,
  PaymentEventsStore,
} from './reach/billing/payment-events-store.ts'
export type {
  CheckoutRequest,
  CheckoutSession,
  PaymentProvider,
} from './reach/billing/payment-provider.ts'
export {
  isLive as isLiveSubscription,
  type ParkedReason,
  type StoredSubscription,
  SUBSCRIPTION_STATUSES,
  type Subscription,
} from './reach/billing/subscription.ts'
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
} from './reach/browser/browser-page.ts'
export { PageFailure } from './reach/browser/browser-page.ts'
export type {
  BrowserRun,
  BrowserRunEnd,
  BrowserStore,
  NewBrowserRun,
  NewBrowserToken,
} from './reach/browser/browser-store.ts'
export type { BrowserToken } from './reach/browser/browser-token.ts'
export { ModelFailure, type ModelPrompt } from './reach/chat/answer/language-model.ts'
export type { IncomingMessage } from './reach/chat/chat.ts'
export type { ChatMode, Conversation } from './reach/chat/conversation.ts'
export type {
  BotAnswer,
  ConversationsStore,
  NewConversation,
  NewMessage,
  Visit,
  VisitorMessage,
} from './reach/chat/conversations-store.ts'
export { CHAT_ENGINES, type ChatEvent, type ChatSource } from './reach/chat/message.ts'
export type { EmailDomain } from './reach/email/domains/email-domain.ts'
export type {
  DomainSettlement,
  EmailDomainsStore,
  NewEmailDomain,
} from './reach/email/domains/email-domains-store.ts'
export { type EmailKey, newEmailKey } from './reach/email/keys/email-key.ts'
export type { EmailKeysStore, NewEmailKey } from './reach/email/keys/email-keys-store.ts'
export type { ReminderSubject } from './reach/email/reminders/reminder.ts'
export type {
  NewReminder,
  ReminderMessage,
  RemindersStore,
} from './reach/email/reminders/reminders-store.ts'
export type { EmailMessage, EmailRecipientState } from './reach/email/sending/email-message.ts'
export { MESSAGE_STATES, RECIPIENT_STATES, STOPPED } from './reach/email/sending/email-message.ts'
export type {
  EmailMessagesStore,
  NewEmailMessage,
  RememberedAnswer,
  SealedBody,
} from './reach/email/sending/email-messages-store.ts'
export type {
  EmailSuppression,
  EmailSuppressionsStore,
} from './reach/email/sending/email-suppressions-store.ts'
export type { MailRelay } from './reach/email/smtp/mail-relay.ts'
export { patternsOf } from './reach/webhooks/event-patterns.ts'
export type {
  DeliveryAttempt,
  EndpointDelivery,
  EndpointState,
  WebhookEndpoint,
} from './reach/webhooks/webhook-endpoint.ts'
export type { NewEndpoint, ReplayWrite, WebhooksStore } from './reach/webhooks/webhooks-store.ts'
export {
  ALERT_KINDS,
  ALERT_SEVERITIES,
  type Alert,
  type AlertKind,
  alertStatus,
} from './watch/alerts/alert.ts'
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
} from './watch/alerts/alert-lifecycle.ts'
export type { Evaluation } from './watch/alerts/alerts.ts'
export type {
  AlertActionEntry,
  AlertActionWrite,
  AlertContent,
  AlertFilter,
  AlertsStore,
  AlertWrite,
} from './watch/alerts/alerts-store.ts'
export type {
  AlertAudience,
  AlertDeliveriesStore,
  AlertDeliveryReport,
  AlertDigest,
  AlertMailboxes,
  AlertWebhook,
} from './watch/alerts/channels/alert-deliveries-store.ts'
export { RETRY_JITTER, RETRY_SECONDS } from './watch/alerts/channels/alert-notifier.ts'
export type { AlertCondition } from './watch/alerts/rules/alert-condition.ts'
export {
  type AlertFactsStore,
  CLONE_SECONDS,
  type Clone,
  GAP_NEWS_SECONDS,
  type RateLimitHits,
  REFUSAL_SECONDS,
} from './watch/alerts/rules/alert-facts.ts'
export {
  LIVE_LISTS,
  LIVE_ROWS,
  LIVE_THINGS,
  LIVE_TICK_SECONDS,
  type LiveList,
  type LiveStore,
  type LiveSubject,
  type LiveThing,
  standingOf,
} from './watch/live/live-store.ts'
export {
  CONFIRMATIONS,
  INTERVAL_SECONDS,
  MONITOR_STATES,
  type Monitor,
  type MonitorDefinition,
  type MonitorOwner,
  type MonitorState,
  monitorState,
} from './watch/monitors/monitor.ts'
export {
  combine,
  isDifference,
  type Judgement,
  judge,
  nextRunSeconds,
  type Observation,
} from './watch/monitors/monitor-run.ts'
export type { AddMonitorInput } from './watch/monitors/monitors.ts'
export {
  HISTORY_ENTRIES,
  type HistoryEntry,
  type MonitorsStore,
  type NewMonitor,
  type Redefinition,
  type Settlement,
} from './watch/monitors/monitors-store.ts'
export {
  FAILED_DAYS,
  type LateAfter,
  type Overview,
  type OverviewStore,
} from './watch/overview/overview-store.ts'
export {
  FINDING_SEVERITIES,
  FINDING_STATUSES,
  type Finding,
  type FindingCounts,
  findingFingerprint,
  NO_FINDINGS,
  type SurfaceFinding,
} from './watch/surface/surface-finding.ts'
export { EMPTY_RESULT, isActive, SURFACE_CHECKS, type SurfaceScan } from './watch/surface/surface-scan.ts'
export type {
  NewScan,
  ScanSettlement,
  StartOutcome,
  SurfaceScansStore,
} from './watch/surface/surface-scans-store.ts'
export type { SurfaceTarget } from './watch/surface/surface-target.ts'
export type { SurfaceTargetsStore } from './watch/surface/surface-targets-store.ts'
export { settingsMarkdown } from './wiring/settings.ts'
export { type Agent, agentId, agentState, OFFLINE_SECONDS } from './work/agents/agent.ts'
export type { AgentKeyProof } from './work/agents/agent-proof.ts'
export type { Heartbeat } from './work/agents/agents.ts'
export type {
  AgentChange,
  AgentsStore,
  HeartbeatOutcome,
  HeartbeatWrite,
  HostWork,
} from './work/agents/agents-store.ts'
export { REFRESH_TYP } from './work/agents/refresh.ts'
export {
  type App,
  type AppSettings,
  appIdOf,
  MAX_APPS,
  type NewApp,
  type NewVariable,
  type Variable,
  variableId,
} from './work/apps/app.ts'
export {
  type AppDatabase,
  appDatabaseId,
  type DatabaseLink,
  type NewAppDatabase,
} from './work/apps/app-database.ts'
export type { AppDatabasesStore } from './work/apps/app-databases-store.ts'
export { type AppDomain, appDomainId, type DomainOptions, type NewAppDomain } from './work/apps/app-domain.ts'
export type { AppDomainsStore } from './work/apps/app-domains-store.ts'
export type { AppMove } from './work/apps/app-move.ts'
export type { AppsStore } from './work/apps/apps-store.ts'
export { type AppDrift, isTroubled, type ObservedApp, type ObservedEntry } from './work/apps/observed-app.ts'
export type { ObservedAppsStore } from './work/apps/observed-apps-store.ts'
export type {
  DeployedApp,
  Deployment,
  DeploymentFilter,
  DeploymentsStore,
  NewDeployment,
} from './work/deployments/deployments-store.ts'
export type { GitHook, GitHookSettings } from './work/git/git-hook.ts'
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
} from './work/git/git-hooks-store.ts'
export type { HostUsageStore, TakenUsage, UsageTaking } from './work/host-usage/host-usage-store.ts'
export {
  COARSE,
  FIGURES,
  FINE,
  joinedPoints,
  joinedRow,
  SLOT_BYTES,
  type UsageFigures,
  type UsageHost,
  type UsagePoint,
  type UsageRow,
  writeValue,
} from './work/host-usage/usage.ts'
export { type Image, type ImageContent, isSameContent } from './work/images/image.ts'
export type {
  ImageFilter,
  ImageRepository,
  ImagesStore,
  NewImage,
  Registered,
} from './work/images/images-store.ts'
export { ClaimWaits } from './work/jobs/claim-waits.ts'
export type { Claim } from './work/jobs/host-works.ts'
export { JOB_KINDS, MAX_ATTEMPTS, TIMEOUT_SECONDS } from './work/jobs/job.ts'
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
} from './work/jobs/job-log.ts'
export { reportEffect, stateAfterReport } from './work/jobs/job-report.ts'
export type { Jobs } from './work/jobs/jobs.ts'
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
  LookFilter,
  NewJob,
  Owner,
  ReportedJob,
  StatusOutcome,
  StatusWrite,
  SupersedeWrite,
  SweepResult,
  UpcomingJob,
  WaitedQueue,
} from './work/jobs/jobs-store.ts'
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
} from './work/jobs/lease.ts'
export { isRunBy } from './work/jobs/run-kinds.ts'
export { KEPT_DEPLOYMENTS } from './work/retention/retention-days.ts'
export type {
  DroppedLogs,
  LogMonthsFault,
  PastJobs,
  RetentionBacklog,
  RetentionPage,
  RetentionState,
  RetentionStore,
} from './work/retention/retention-store.ts'
