/**
 * `@svc/core`: the control plane without a framework. It does not import the ORM; storage is on the subpath
 * `./sql`.
 */

export type { Accounts, CurrentCredentials, OwnSession } from './accounts/accounts.ts'
export * from './agents/agent.ts'
export type { Agents, Heartbeat, HeartbeatAnswer } from './agents/agents.ts'
export type * from './agents/agents-store.ts'
export type { FleetBackup, FleetServer, OperatorServer } from './agents/fleet.ts'
export * from './agents/refresh.ts'
export * from './alerts/alert.ts'
export * from './alerts/alert-lifecycle.ts'
export { ALERTS_LISTED } from './alerts/alert-list.ts'
export type { Alerts, Evaluation } from './alerts/alerts.ts'
export type * from './alerts/alerts-store.ts'
export type * from './alerts/delivery/alert-deliveries-store.ts'
export { RETRY_SECONDS } from './alerts/delivery/alert-notifier.ts'
export type { AlertWebhooks } from './alerts/delivery/alert-webhooks.ts'
export type { AlertCondition } from './alerts/rules/alert-condition.ts'
export * from './alerts/rules/alert-facts.ts'
export * from './chat/answer/language-model.ts'
export { HttpLanguageModel } from './chat/answer/language-model-http.ts'
export type { Chat, IncomingMessage, RepliesQuery } from './chat/chat.ts'
export * from './chat/conversation.ts'
export type * from './chat/conversations-store.ts'
export type { ContentPages } from './chat/documents/content-folder.ts'
export * from './chat/message.ts'
export { siteOrigins } from './chat/site.ts'
export { MAX_MESSAGE_CHARS, visitorText } from './chat/visitor-text.ts'
export { type Clock, systemClock, unixSeconds } from './clock.ts'

export { type Config, ConfigError, type Environment, readConfig } from './config/config.ts'
export { configSummary, settingsMarkdown } from './config/config-report.ts'
export { settings } from './config/settings.ts'
export { type ControlPlane, type ControlPlaneParts, createControlPlane } from './control-plane.ts'
export {
  type FolderAccess,
  folderAccess,
  ownFolder,
  requireTrustedSocket,
  trustedFolder,
} from './database/data-folder.ts'
export type * from './deliveries/deliveries-store.ts'
export * from './deliveries/delivery.ts'
export type { Deployment } from './deployments/deployment.ts'
export type { Deployments } from './deployments/deployments.ts'
export type * from './deployments/deployments-store.ts'
export type { Check, Health, Readiness } from './health/health.ts'
export type { ModelProbe, ModelReach } from './health/model-probe.ts'
export { dnsCheck } from './health/reach-checks.ts'
export { sessionSecretCheck, signingKeyCheck } from './health/secret-checks.ts'
export { settingsChecks } from './health/settings-checks.ts'
export { diskFinding, storageChecks } from './health/storage-checks.ts'
export * from './health/system-check.ts'
export * from './health/system-detail.ts'
export { type Ids, randomIds, spellId } from './ids.ts'
export * from './jobs/job.ts'
export * from './jobs/job-log.ts'
export * from './jobs/job-report.ts'
export { claimedJobView, jobView } from './jobs/job-view.ts'
export type { WaitReason } from './jobs/job-wait.ts'
export type { EnqueueInput, Jobs } from './jobs/jobs.ts'
export type * from './jobs/jobs-store.ts'
export * from './jobs/lease.ts'
export * from './licenses/activation.ts'
export * from './licenses/license.ts'
export type { Licenses } from './licenses/licenses.ts'
export type { LicensesStore, NewLicense } from './licenses/licenses-store.ts'
export type { RateCounter } from './limits/rate-counter.ts'
export { MemoryRateCounter } from './limits/rate-counter-memory.ts'
export type { RateLimit, RateVerdict } from './limits/rate-limit.ts'
export type { RateLimits } from './limits/rate-limits.ts'
export { type Log, type LogFields, silentLog } from './log.ts'
export type { Metrics } from './metrics/metrics.ts'
export * from './monitors/dns-answer.ts'
export * from './monitors/dns-client.ts'
export { type NodeDnsOptions, nodeDnsClient } from './monitors/dns-client-node.ts'
export * from './monitors/monitor.ts'
export type * from './monitors/monitor-definition.ts'
export * from './monitors/monitor-run.ts'
export type * from './monitors/monitor-runs.ts'
export type { AddMonitorInput, Monitors } from './monitors/monitors.ts'
export * from './monitors/monitors-store.ts'
export { type ClientNetworks, clientAddress, clientNetworks } from './net/client-network.ts'
export type { Resolver } from './net/dns.ts'
export { type SystemResolverOptions, systemResolver } from './net/dns-system.ts'
export { type OperatorOutboundParts, operatorOutbound } from './net/operator-outbound.ts'
export {
  createOutbound,
  type Outbound,
  type OutboundParts,
  type StreamingOutbound,
} from './net/outbound.ts'
export { OUTBOUND_REFUSALS, type OutboundRefusal, OutboundRefused } from './net/outbound-refusal.ts'
export {
  OUTBOUND_LIMITS,
  OUTBOUND_METHODS,
  type OutboundAnswer,
  type OutboundLimits,
  type OutboundMethod,
  type OutboundRequest,
  type OutboundStream,
} from './net/outbound-request.ts'
export { type AddressRanges, AddressRules, isPublicAddress } from './net/public-address.ts'
export type { AuditEntry, AuditStore } from './operations/audit-store.ts'
export type { Answer, Operation } from './operations/operation.ts'
export { Problem, type ProblemCode, type ProblemData } from './problem.ts'
export { race } from './race.ts'
export { RecentMap } from './recent-map.ts'
export { redact } from './redaction/redactor.ts'
export * from './scheduler/scheduled-task.ts'
export { type Scheduler, TICK_MS } from './scheduler/scheduler.ts'
export type { SchedulerStore } from './scheduler/scheduler-store.ts'
export type { Enrolment, SecondFactors } from './second-factors/second-factors.ts'
export type * from './second-factors/second-factors-store.ts'
export { PENDING_SECONDS } from './second-factors/second-factors-store.ts'
export * from './sessions/session-cookie.ts'
export type { MintedSession, SessionCaller, Sessions } from './sessions/sessions.ts'
export * from './sessions/sessions-store.ts'
export { shellWord } from './shell-word.ts'
export { type JwkSet, type VerificationKeys, verificationKeys } from './signing/json-web-key.ts'
export { sameSecret, secretDigest } from './signing/same-secret.ts'
export {
  signToken,
  type TokenClaims,
  type TokenType,
  type TokenVerdict,
  verifyToken,
} from './signing/signed-token.ts'
export { Signer } from './signing/signer.ts'
export {
  type GeneratedSigningKey,
  generateSigningKey,
  parseSigningKey,
  type SigningKey,
} from './signing/signing-key.ts'
export {
  type MigrationStatus,
  REQUIRED_TABLES,
  type Storage,
  type StorageHealth,
  type StorageKind,
  type Stores,
} from './storage/storage.ts'
export type { Tenant } from './tenants/tenant.ts'
export type { Tenants } from './tenants/tenants.ts'
export type { TenantsStore } from './tenants/tenants-store.ts'
export { systemTimers, type Timers } from './timers.ts'
export { MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from './users/passwords.ts'
export { PERMISSIONS, type Permission } from './users/permission.ts'
export * from './users/user.ts'
export type { Users } from './users/users.ts'
export type * from './users/users-store.ts'
export * from './validation.ts'
export { RELEASE } from './version.ts'
export { OPERATIONS, type Services } from './wiring/features.ts'
export type { Operations } from './wiring/operations.ts'
export { yieldToEventLoop } from './yield-to-event-loop.ts'
