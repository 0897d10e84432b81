/**
 * `@svc/core`: the control plane without a framework, for applications that embed it. It does not import the
 * ORM. Storage is on the subpath `./sql`; ports, their records and the rules that fakes share on `./ports`.
 */

export { ACCESS_MODES, type AccessMode } from './hosts/access/access-session.ts'
export type { RevisionView } from './hosts/node-security/security-view.ts'
export type { OrderView } from './hosts/provisioning/provisioning-view.ts'
export type { TransferKeyView } from './hosts/transfer-keys/transfer-operations.ts'
export { type Clock, systemClock, unixSeconds } from './kernel/clock.ts'
export { type Ids, randomIds } from './kernel/ids.ts'
export { type Log, type LogFields, silentLog } from './kernel/log.ts'
export { Problem, type ProblemCode, type ProblemData } from './kernel/problem.ts'
export { ofLicense, ofTenant, PLATFORM, type Scope } from './kernel/scope.ts'
export { systemTimers, type Timers } from './kernel/timers.ts'
export { SmtpRelay } from './outside/smtp/mail-relay-smtp.ts'
export { RELEASE } from './package-files.ts'
export type { SessionView } from './people/accounts/accounts.ts'
export type { Caller } from './people/accounts/caller.ts'
export type { License, LicenseClaim } from './people/licenses/license.ts'
export type { LicenseView } from './people/licenses/license-operations.ts'
export type { SessionCaller } from './people/sessions/sessions.ts'
export type { TenantView } from './people/tenants/tenant-operations.ts'
export type { UserView } from './people/users/user-operations.ts'
export { type Config, type Environment, readOwnConfig } from './platform/config/config.ts'
export { ConfigError } from './platform/config/config-error.ts'
export { newDataKey } from './platform/config/data-key.ts'
export type { DnsClient } from './platform/dns/dns-client.ts'
export { nodeDnsClient } from './platform/dns/dns-client-node.ts'
export type { RateCounter } from './platform/limits/rate-counter.ts'
export { MemoryRateCounter } from './platform/limits/rate-counter-memory.ts'
export type { RateLimit, RateVerdict } from './platform/limits/rate-limits.ts'
export type { Metrics } from './platform/metrics/metrics.ts'
export { systemResolver } from './platform/net/dns-system.ts'
export { createOutbound, type Outbound } from './platform/net/outbound.ts'
export type { AuditView } from './platform/operations/audit-operations.ts'
export { type Answer, OPERATION_SCOPES, type OperationScope } from './platform/operations/operation.ts'
export { may, PERMISSIONS, type Permission } from './platform/operations/permission.ts'
export { publicKeySet, verificationKeys } from './platform/signing/json-web-key.ts'
export { sameSecret } from './platform/signing/same-secret.ts'
export { type TokenType, type TokenVerdict, verifyToken } from './platform/signing/signed-token.ts'
export { Signer } from './platform/signing/signer.ts'
export { generateSigningKey } from './platform/signing/signing-key.ts'
export { isSigned } from './platform/signing/webhook-signature.ts'
export type { MigrationStatus, Storage } from './platform/storage/storage.ts'
export type { BrowserEngine } from './reach/browser/browser-page.ts'
export type { BrowserWorker } from './reach/browser/browser-worker.ts'
export type { BrowserEngineMaker, BrowserEngineTools } from './reach/browser/feature.ts'
export type { LanguageModel } from './reach/chat/answer/language-model.ts'
export type { ConversationView } from './reach/chat/chat-operations.ts'
export type { ContentPages } from './reach/chat/documents/content-folder.ts'
export type { ChatMessage } from './reach/chat/message.ts'
export type { EmailDomainView } from './reach/email/domains/email-domain-view.ts'
export type { EndpointView } from './reach/webhooks/webhook-view.ts'
export type { AlertAction, AlertView } from './watch/alerts/alert.ts'
export {
  SYSTEM_STATUSES,
  type SystemCheckLine,
  type SystemReport,
  type SystemStatus,
} from './watch/health/system-check.ts'
export type { MonitorView } from './watch/monitors/monitor-view.ts'
export type { FindingView as SurfaceFindingView } from './watch/surface/surface-view.ts'
export type { OperationAnswer, OperationInput, OperationName, OperationTypes } from './wiring/api.ts'
export { type ControlPlane, type ControlPlaneParts, createControlPlane } from './wiring/control-plane.ts'
export { EVENT_TYPES, type EventType, OPERATIONS, type Services } from './wiring/features.ts'
export { configSummary, readConfig, settings } from './wiring/settings.ts'
export type { FleetBackup, FleetServer, OperatorServer } from './work/agents/fleet.ts'
export type { HostView } from './work/agents/host-view.ts'
export type { AppCronView } from './work/apps/app-cron-operations.ts'
export type { AppDatabaseView } from './work/apps/app-database-operations.ts'
export type { AppDomainView } from './work/apps/app-domain-operations.ts'
export {
  type AppLogsWish,
  LOG_LINES,
  MAX_UPLOAD_BYTES,
  readAppLogsWish,
  readAppRun,
  readAppUpload,
  sinceInstant,
} from './work/apps/app-logs.ts'
export type { AppRegistryView } from './work/apps/app-registry-operations.ts'
export type { AppView, ReleaseView, VariableView } from './work/apps/app-view.ts'
export type { GitHookView } from './work/git/git-hook-view.ts'
export type { UsageSeriesView } from './work/host-usage/host-usage-operations.ts'
export type { Image } from './work/images/image.ts'
export type { ImageView } from './work/images/image-operations.ts'
export {
  isHeld,
  isTerminal,
  JOB_STATES,
  type Job,
  type JobKind,
  type JobState,
  wasCancelled,
} from './work/jobs/job.ts'
export type { LogLine, StoredLine } from './work/jobs/job-log.ts'
export type { DeploymentView, JobView, ListedJobView } from './work/jobs/job-view.ts'
export type { WaitReason } from './work/jobs/job-wait.ts'
export type { CancelOutcome } from './work/jobs/jobs-store.ts'
export type { RetentionView } from './work/retention/retention-operations.ts'
