/**
 * `@svc/core`: the control plane without a framework, for applications that embed it. It does not import the
 * ORM. Storage is on the subpath `./sql`; ports, their records and the rules that fakes share on `./ports`.
 */

export { ACCESS_MODES, type AccessMode } from './access/access-session.ts'
export type { SessionView } from './accounts/accounts.ts'
export type { Caller } from './accounts/caller.ts'
export type { FleetBackup, FleetServer, OperatorServer } from './agents/fleet.ts'
export type { HostView } from './agents/host-view.ts'
export type { AlertAction, AlertView } from './alerts/alert.ts'
export type { BrowserEngine } from './browser/browser-page.ts'
export type { BrowserWorker } from './browser/browser-worker.ts'
export type { BrowserEngineMaker, BrowserEngineTools } from './browser/feature.ts'
export type { LanguageModel } from './chat/answer/language-model.ts'
export type { ConversationView } from './chat/chat-operations.ts'
export type { ContentPages } from './chat/documents/content-folder.ts'
export type { ChatMessage } from './chat/message.ts'
export { type Clock, systemClock, unixSeconds } from './clock.ts'
export { type Config, ConfigError, type Environment, readConfig } from './config/config.ts'
export { configSummary } from './config/config-report.ts'
export { newDataKey } from './config/data-key.ts'
export { settings } from './config/settings.ts'
export { type ControlPlane, type ControlPlaneParts, createControlPlane } from './control-plane.ts'
export type { DnsClient } from './dns/dns-client.ts'
export { nodeDnsClient } from './dns/dns-client-node.ts'
export type { EmailDomainView } from './email/domains/email-domain-view.ts'
export type { GitHookView } from './git/git-hook-view.ts'
export {
  SYSTEM_STATUSES,
  type SystemCheckLine,
  type SystemReport,
  type SystemStatus,
} from './health/system-check.ts'
export { type Ids, randomIds } from './ids.ts'
export type { Image } from './images/image.ts'
export type { ImageView } from './images/image-operations.ts'
export {
  isHeld,
  isTerminal,
  JOB_STATES,
  type Job,
  type JobKind,
  type JobState,
  wasCancelled,
} from './jobs/job.ts'
export type { LogLine, StoredLine } from './jobs/job-log.ts'
export type { DeploymentView, JobView, ListedJobView } from './jobs/job-view.ts'
export type { WaitReason } from './jobs/job-wait.ts'
export type { CancelOutcome } from './jobs/jobs-store.ts'
export type { License, LicenseClaim } from './licenses/license.ts'
export type { LicenseView } from './licenses/license-operations.ts'
export type { RateCounter } from './limits/rate-counter.ts'
export { MemoryRateCounter } from './limits/rate-counter-memory.ts'
export type { RateLimit, RateVerdict } from './limits/rate-limits.ts'
export { type Log, type LogFields, silentLog } from './log.ts'
export type { Metrics } from './metrics/metrics.ts'
export type { MonitorView } from './monitors/monitor-view.ts'
export { systemResolver } from './net/dns-system.ts'
export { createOutbound, type Outbound } from './net/outbound.ts'
export type { RevisionView } from './node-security/security-view.ts'
export type { AuditView } from './operations/audit-operations.ts'
export { type Answer, OPERATION_SCOPES, type OperationScope } from './operations/operation.ts'
export { may, PERMISSIONS, type Permission } from './operations/permission.ts'
export { SmtpRelay } from './outside/smtp/mail-relay-smtp.ts'
export { Problem, type ProblemCode, type ProblemData } from './problem.ts'
export type { OrderView } from './provisioning/provisioning-view.ts'
export { ofLicense, ofTenant, PLATFORM, type Scope } from './scope.ts'
export type { SessionCaller } from './sessions/sessions.ts'
export { publicKeySet, verificationKeys } from './signing/json-web-key.ts'
export { sameSecret } from './signing/same-secret.ts'
export { type TokenType, type TokenVerdict, verifyToken } from './signing/signed-token.ts'
export { Signer } from './signing/signer.ts'
export { generateSigningKey } from './signing/signing-key.ts'
export { isSigned } from './signing/webhook-signature.ts'
export type { MigrationStatus, Storage } from './storage/storage.ts'
export type { FindingView as SurfaceFindingView } from './surface/surface-view.ts'
export type { TenantView } from './tenants/tenant-operations.ts'
export { systemTimers, type Timers } from './timers.ts'
export type { TransferKeyView } from './transfer-keys/transfer-operations.ts'
export type { UserView } from './users/user-operations.ts'
export { RELEASE } from './version.ts'
export type { EndpointView } from './webhooks/webhook-view.ts'
export { OPERATIONS, type Services } from './wiring/features.ts'
