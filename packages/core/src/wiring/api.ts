// Written from the operations (`npm run generate`); change their shapes, not this file.

/** The documents of the API as types: `docs/reference/openapi.json` has the same names, with all limits. */

export type AccessMode = 'shell' | 'exec' | 'tcp' | 'logs' | 'run' | 'upload'

export interface AccessOpened {
  readonly session_id: string
  readonly token: string
  readonly expires: string
  readonly relay_url: string
  readonly mode: AccessMode
  readonly host: HostName
  readonly idle_timeout_s: number
  readonly max_session_s: number
}

export interface AccessSession {
  readonly id: string
  readonly state: string
  readonly mode: string
  readonly host: HostName
  readonly license_id: string
  readonly operator: string
  readonly user?: string
  readonly command?: string
  readonly reason?: string
  readonly ip?: string
  readonly created_at: number
  readonly connected_at?: number
  readonly ended_at?: number
  readonly end_reason?: string
  readonly exit_code?: number
  readonly bytes_in: number
  readonly bytes_out: number
}

export interface Alert {
  readonly id: string
  readonly dedup_key: string
  readonly kind: AlertKind
  readonly severity: 'critical' | 'warning' | 'info'
  readonly status: AlertStatus
  readonly summary: string
  readonly host?: HostName
  readonly details: AlertDetails
  readonly count: number
  readonly flapping: boolean
  readonly starts_at: number
  readonly last_seen_at: number
  readonly acknowledged_at?: number
  readonly acknowledged_by?: string
  readonly ack_expires_at?: number
  readonly snoozed_until?: number
  readonly resolved_at?: number
  readonly notified_at?: number
  readonly license_id?: string
  readonly tenant_id?: string
}

export interface AlertDetails {
  readonly last_heartbeat?: number
  readonly percent?: number
  readonly threshold?: number
  readonly hostnames?: readonly string[]
  readonly boot_ids?: readonly string[]
  readonly refused_at?: number
  readonly last_capture_at?: number
  readonly threshold_hours?: number
  readonly last_drill_at?: number
  readonly threshold_days?: number
  readonly clock_ahead_seconds?: number
  readonly desired_revision?: number
  readonly applied_revision?: number
  readonly updated_at?: number
  readonly job_id?: string
  readonly job_kind?: string
  readonly app?: string
  readonly deployment_id?: string
  readonly exit_code?: number
  readonly restarts?: number
  readonly cron?: string
  readonly last_at?: number
  readonly expires_at?: number
  readonly refused?: number
  readonly seconds?: number
  readonly event_id?: string
  readonly object_id?: string
  readonly monitor_id?: string
  readonly monitor?: string
  readonly host?: string
  readonly since?: number
  readonly expected?: readonly string[]
  readonly found?: readonly string[]
  readonly error?: MonitorError
  readonly domain?: string
  readonly finding?: string
  readonly url?: string
  readonly first_seen_at?: number
  readonly endpoint_id?: string
  readonly failing_since?: number
  readonly from?: number
  readonly until?: number
  readonly overdue_seconds?: number
  readonly order_id?: string
  readonly license_id?: string
  readonly provider?: string
  readonly server_id?: string
  readonly orders?: number | readonly string[]
  readonly type?: string
  readonly state?: string
  readonly reason?: string
}

export type AlertKind = 'host_offline' | 'host_stopped' | 'disk_high' | 'mem_high' | 'cpu_high' | 'backup_stale' | 'backup_failed' | 'drill_stale' | 'drill_failed' | 'job_failed' | 'job_lost' | 'cancel_unconfirmed' | 'license_expiring' | 'rate_limited_fleet' | 'fingerprint_collision' | 'agent_key_mismatch' | 'monitor_drift' | 'dns_unreachable' | 'webhook_endpoint_disabled' | 'surface_finding' | 'security_drift' | 'app_down' | 'app_restarts' | 'app_drift' | 'cron_failed' | 'certificate_ending' | 'scheduler_stalled' | 'payment_event' | 'duplicate_subscription' | 'provider_token_invalid' | 'provider_protocol_error' | 'multiple_servers' | 'server_delete_slow' | 'server_kept'

export interface AlertMailbox {
  readonly tenant_id?: string
  readonly addresses: readonly string[]
  readonly created_at: number
}

export type AlertStatus = 'firing' | 'acknowledged' | 'snoozed' | 'resolved'

export interface AlertWebhook {
  readonly tenant_id?: string
  readonly origin: string
  readonly created_at: number
  readonly latest_delivery?: {
    readonly state: string
    readonly attempts: number
    readonly created_at: number
  }
}

export interface ApiToken {
  readonly id: string
  readonly label: string
  readonly role: string
  readonly tenant_id?: string
  readonly created_by: string
  readonly created_at: number
  readonly last_used_at?: number
  readonly expires_at?: number
}

export interface App {
  readonly id: string
  readonly license_id: string
  readonly name: string
  readonly host?: string
  readonly hosts?: readonly string[]
  readonly repo_url?: string
  readonly git_hook?: string
  readonly variables: number
  readonly env_revision: number
  readonly last_deployment?: Release
  readonly state?: 'never_deployed' | 'deployed' | 'stopped' | 'removed'
  readonly live_deployment?: Release
  readonly observed?: readonly AppOnHost[]
  readonly move?: {
    readonly from: string
    readonly to: string
    readonly under_way: boolean
  }
  readonly created_at: number
  readonly updated_at: number
}

export interface AppCron {
  readonly host: string
  readonly name: string
  readonly schedule: string
  readonly timezone: string
  readonly running: boolean
  readonly last_at?: number
  readonly seconds?: number
  readonly fault?: string
  readonly skipped: number
  readonly observed_at: number
}

export interface AppDatabase {
  readonly name: string
  readonly engine: 'postgres' | 'mariadb' | 'valkey'
  readonly state: 'pending' | 'ready' | 'failed' | 'dropping'
  readonly op: 'create' | 'drop' | 'link' | 'unlink' | 'rotate' | 'backup' | 'restore' | 'undo' | 'list'
  readonly reason?: string
  readonly links: readonly {
    readonly app: string
    readonly as: string
  }[]
  readonly host: string
  readonly job_id: string
  readonly by: string
  readonly created_at: number
  readonly updated_at: number
}

export interface AppDatabaseJob {
  readonly id: string
  readonly app: string
  readonly job: Job
  readonly deployment?: JobDeployment
  readonly created: boolean
  readonly warning?: string
  readonly note?: string
  readonly next?: readonly FollowingJob[]
  readonly database: string
}

export interface AppDomain {
  readonly domain: string
  readonly state: 'pending' | 'live' | 'failed' | 'removing'
  readonly reason?: string
  readonly tls: 'auto' | 'internal' | 'off' | 'certificate'
  readonly process?: string
  readonly paths?: readonly {
    readonly path: string
    readonly process: string
  }[]
  readonly redirect_to?: string
  readonly allow?: readonly string[]
  readonly user?: string
  readonly hsts?: boolean
  readonly max_body?: string
  readonly host: string
  readonly job_id: string
  readonly by: string
  readonly created_at: number
  readonly updated_at: number
}

export interface AppDomainJob {
  readonly id: string
  readonly app: string
  readonly job: Job
  readonly deployment?: JobDeployment
  readonly created: boolean
  readonly warning?: string
  readonly note?: string
  readonly next?: readonly FollowingJob[]
  readonly domain: string
}

export interface AppJob {
  readonly id: string
  readonly app: string
  readonly job: Job
  readonly deployment?: JobDeployment
  readonly created: boolean
  readonly warning?: string
  readonly note?: string
  readonly next?: readonly FollowingJob[]
}

export interface AppOnHost {
  readonly host: string
  readonly state: 'up' | 'degraded' | 'down' | 'stopped'
  readonly sha?: string
  readonly release: number
  readonly up: number
  readonly of: number
  readonly missing?: readonly string[]
  readonly restarts: number
  readonly crons?: readonly ObservedCron[]
  readonly maintenance?: boolean
  readonly certificates?: readonly {
    readonly domain: string
    readonly until?: number
  }[]
  readonly expected_sha?: string
  readonly since: number
  readonly observed_at: number
}

export interface AuditEntry {
  readonly id: string
  readonly at: number
  readonly actor: string
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
  readonly outcome: string
}

export interface BackupWork {
  readonly kind: 'backup'
  readonly payload: {
    readonly app?: string
    readonly sync?: boolean
  }
}

export type BrowserAction = BrowserNavigate | BrowserClick | BrowserFill | BrowserSelect | BrowserPress | BrowserScroll | BrowserWait | BrowserBack

export interface BrowserBack {
  readonly type: 'back'
}

export interface BrowserClick {
  readonly type: 'click'
  readonly ref: string
  readonly label?: string
}

export interface BrowserFill {
  readonly type: 'fill'
  readonly ref: string
  readonly value: string
  readonly submit?: boolean
  readonly label?: string
}

export interface BrowserNavigate {
  readonly type: 'navigate'
  readonly url: string
}

export interface BrowserPress {
  readonly type: 'press'
  readonly key: 'Enter' | 'Tab' | 'Escape' | 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight' | 'PageDown'
}

export interface BrowserRun {
  readonly id: string
  readonly token_id: string
  readonly kind: 'scrape' | 'observe' | 'act' | 'run'
  readonly url_host: string
  readonly status: string
  readonly steps: number
  readonly ms: number
  readonly bytes: number
  readonly llm_tokens: number
  readonly created_at: number
}

export interface BrowserScroll {
  readonly type: 'scroll'
  readonly direction: 'up' | 'down'
}

export interface BrowserSelect {
  readonly type: 'select'
  readonly ref: string
  readonly value: string
  readonly label?: string
}

export interface BrowserStep {
  readonly n: number
  readonly url: string
  readonly action: BrowserAction
  readonly outcome: 'ok' | 'failed' | 'blocked' | 'needs_confirmation'
  readonly ms: number
  readonly notes?: readonly string[]
}

export interface BrowserToken {
  readonly id: string
  readonly label: string
  readonly license_id?: string
  readonly daily_limit: number
  readonly created_at: number
  readonly last_used_at?: number
}

export interface BrowserWait {
  readonly type: 'wait'
  readonly ms: number
}

export interface CatalogEntry {
  readonly plan: string
  readonly provider: HostingProvider
  readonly server_type: string
  readonly locations: readonly string[]
  readonly image: string
  readonly ssh_keys: readonly string[]
  readonly max_monthly: string
  readonly enabled: boolean
}

export interface ChatMessage {
  readonly id: string
  readonly role: 'visitor' | 'bot' | 'human'
  readonly text: string
  readonly at: number
  readonly engine?: 'llm' | 'canned' | 'none'
  readonly sources?: readonly {
    readonly title: string
    readonly url: string
  }[]
  readonly truncated?: boolean
}

export type CheckState = 'pass' | 'warn' | 'fail' | 'not-configured'

export interface ClaimedJob {
  readonly id: string
  readonly state: JobState
  readonly deployment_id?: string
  readonly env_secrets?: readonly string[]
  readonly env_withheld?: string
  readonly attempt: number
  readonly max_attempts: number
  readonly created_at: number
  readonly claimed_at: number
  readonly lease_seconds: number
  readonly lease_expires_at: number
  readonly timeout_seconds: number
  readonly log: {
    readonly next_offset: number
    readonly max_lines: number
    readonly max_line_chars: number
    readonly interval_seconds: number
  }
}

export type CloneKind = 'none' | 'deploy_key' | 'token'

export interface Confirmation {
  readonly current: string
  readonly code?: string
}

export interface Conversation {
  readonly id: string
  readonly mode: 'ai' | 'human_active' | 'closed'
  readonly messages: number
  readonly category?: 'general' | 'sales' | 'bug' | 'billing' | 'feature'
  readonly contact?: string
  readonly waiting_since?: number
  readonly created_at: number
  readonly last_message_at: number
}

export interface DbWork {
  readonly kind: 'db'
  readonly payload: {
    readonly op: string
    readonly engine: string
    readonly name: string
  }
}

export interface DeployWork {
  readonly kind: 'deploy'
  readonly payload: {
    readonly app: string
    readonly source: Source
    readonly env?: Readonly<Record<string, string>>
    readonly ports?: readonly number[]
  }
}

export interface DomainChallenge {
  readonly type: 'TXT'
  readonly name: string
  readonly value: string
}

export interface DomainRecord {
  readonly record: 'DKIM' | 'SPF' | 'DMARC'
  readonly type: 'TXT'
  readonly name: string
  readonly host: string
  readonly value?: string
  readonly required: boolean
  readonly status: RecordStatus
  readonly detail?: string
  readonly found?: readonly string[]
}

export interface EmailDomain {
  readonly id: string
  readonly name: string
  readonly license_id?: string
  readonly status: EmailDomainStatus
  readonly created_at: number
  readonly verified_at: number
  readonly checked_at: number
  readonly records: readonly DomainRecord[]
}

export type EmailDomainStatus = 'pending' | 'verified' | 'degraded' | 'failed'

export interface EmailKey {
  readonly id: string
  readonly name: string
  readonly license_id?: string
  readonly prefix: string
  readonly domain_id?: string
  readonly created_at: number
  readonly expires_at: number
  readonly last_used_at: number
}

export interface EmailMessage {
  readonly id: string
  readonly license_id?: string
  readonly kind: string
  readonly domain_id: string
  readonly key_id?: string
  readonly from: string
  readonly state: 'queued' | 'sending' | 'sent' | 'partial' | 'failed' | 'cancelled'
  readonly created_at: number
  readonly settled_at: number
  readonly recipients: readonly ({
    readonly address: string
    readonly role: string
    readonly state: 'queued' | 'accepted' | 'deferred' | 'unknown' | 'bounced' | 'failed' | 'suppressed' | 'cancelled'
    readonly smtp_code?: number
    readonly smtp_text?: string
  })[]
}

export interface ExposeWork {
  readonly kind: 'expose'
  readonly payload: {
    readonly app: string
    readonly domain: string
    readonly port: number
  }
}

export interface Finding {
  readonly id: string
  readonly check: string
  readonly severity: 'high' | 'medium' | 'low' | 'info'
  readonly host: string
  readonly url?: string
  readonly evidence: string
  readonly remediation: string
  readonly domain: string
  readonly license_id: string
  readonly status: 'open' | 'fixed'
  readonly first_seen_at: number
  readonly last_seen_at: number
}

export interface FirewallRule {
  readonly ports: readonly string[]
  readonly proto: 'tcp' | 'udp'
  readonly from?: readonly string[]
  readonly comment?: string
}

export interface FirewallWork {
  readonly kind: 'firewall'
  readonly payload: {
    readonly revision: number
    readonly settings: Readonly<Record<string, unknown>>
  }
}

export interface FollowingJob {
  readonly job_id: string
  readonly host: string
}

export interface GitDelivery {
  readonly at: number
  readonly delivery_id: string
  readonly provider: GitProvider
  readonly event: string
  readonly ref: string
  readonly outcome: 'accepted' | 'ignored'
  readonly ignored?: 'ping' | 'event' | 'branch' | 'tag' | 'deleted' | 'disabled' | 'repository' | 'paths' | 'skip_ci' | 'duplicate' | 'stale'
  readonly sha?: string
  readonly job_id?: string
  readonly address: string
}

export interface GitHook {
  readonly id: string
  readonly license_id: string
  readonly app: string
  readonly fingerprint: string
  readonly provider: GitProvider
  readonly repo_url: string
  readonly branch: string
  readonly tags?: string
  readonly paths: readonly string[]
  readonly paths_ignore: readonly string[]
  readonly enabled: boolean
  readonly cancel_in_progress: boolean
  readonly allow_skip: boolean
  readonly clone: CloneKind
  readonly submodules: 'none' | 'owner' | 'server'
  readonly deploy_key?: string
  readonly created_at: number
  readonly updated_at: number
  readonly last_delivery?: {
    readonly at: number
    readonly outcome: string
    readonly sha?: string
    readonly job_id?: string
  }
}

export interface GitHookSetup {
  readonly content_type: string
  readonly events: readonly string[]
  readonly secret_field: string
  readonly page: string
  readonly key_page: string
}

export type GitProvider = 'github' | 'gitlab' | 'gitea' | 'bitbucket' | 'generic'

export interface GitSource {
  readonly type: 'git'
  readonly repo_url: string
  readonly sha: string
  readonly ref?: string
}

export interface Host {
  readonly id: string
  readonly hostname: string
  readonly label: string
  readonly state: string
  readonly version: string
  readonly org: string
  readonly last_heartbeat: number
  readonly drained?: boolean
  readonly drained_at?: number
  readonly license_id: string
  readonly license_label?: string
  readonly fingerprint: string
  readonly boot_id?: string
  readonly cpu_pct?: number
  readonly mem_pct?: number
  readonly disk_pct?: number
  readonly disk_total_gb?: number
  readonly last_capture_at?: number
  readonly capture_success?: boolean
  readonly last_drill_at?: number
  readonly drill_pass?: boolean
  readonly clock_ahead_seconds?: number
  readonly kinds?: readonly JobKind[]
  readonly concurrency?: number
  readonly first_seen_at: number
  readonly access_key?: string
  readonly access_key_at?: number
  readonly jobs: readonly {
    readonly id: string
    readonly kind: JobKind
    readonly app?: string
    readonly state: JobState
    readonly claimed_at: number
  }[]
}

export interface HostBackup {
  readonly hostname: string
  readonly last_capture_at: number
  readonly success: boolean
  readonly image_count: number
  readonly repo_bytes: number
  readonly last_drill_at: number
  readonly drill_pass: boolean
  readonly clock_ahead_seconds?: number
}

export interface HostName {
  readonly id: string
  readonly hostname: string
}

export type HostingProvider = 'hetzner' | 'digitalocean'

export interface Image {
  readonly id: string
  readonly checksum: string
  readonly state: 'available' | 'pruned'
  readonly engine: 'restic' | 'kopia' | 'borg' | 'zfs' | 'oci' | 'other'
  readonly kind: 'snapshot' | 'image' | 'db_dump'
  readonly license_id: string
  readonly fingerprint: string
  readonly repo?: string
  readonly app?: string
  readonly hostname?: string
  readonly label?: string
  readonly size_bytes?: number
  readonly added_bytes?: number
  readonly captured_at: number
  readonly duration_s?: number
  readonly paths: readonly string[]
  readonly tags: readonly string[]
  readonly parent?: string
  readonly encrypted?: boolean
  readonly verified_at?: number
  readonly job_id?: string
  readonly first_seen_at: number
  readonly last_seen_at: number
  readonly pruned_at?: number
}

export interface ImageSource {
  readonly type: 'image'
  readonly image: string
}

export interface Job {
  readonly id: string
  readonly state: JobState
  readonly license_id: string
  readonly app?: string
  readonly target?: string
  readonly urgent?: boolean
  readonly deployment_id?: string
  readonly retry_of?: string
  readonly serial_key?: string
  readonly dedupe_key?: string
  readonly attempt: number
  readonly max_attempts: number
  readonly lost_leases: number
  readonly timeout_seconds: number
  readonly created_at: number
  readonly claimed_by?: string
  readonly claimed_at?: number
  readonly started_at?: number
  readonly finished_at?: number
  readonly lease_expires_at?: number
  readonly cancel_requested_at?: number
  readonly cancel_reason?: string
  readonly exit_code?: number
  readonly error?: string
}

export interface JobDeployment {
  readonly id: string
  readonly state: JobState
  readonly app?: string
}

export type JobKind = 'deploy' | 'redeploy' | 'stop' | 'remove' | 'db' | 'restore' | 'firewall' | 'prune' | 'expose' | 'unexpose' | 'backup'

export type JobState = 'pending' | 'claimed' | 'running' | 'succeeded' | 'failed'

export interface License {
  readonly id: string
  readonly tenant_id?: string
  readonly label: string
  readonly status: 'active' | 'suspended' | 'revoked' | 'expired'
  readonly status_reason?: 'billing' | 'operator'
  readonly tier?: string
  readonly contact_email?: string
  readonly billing_state?: 'active' | 'canceling' | 'past_due' | 'unpaid' | 'paused' | 'canceled' | 'incomplete'
  readonly expires_at?: number
  readonly created_at: number
  readonly agent_only?: boolean
}

export interface ListedHost {
  readonly id: string
  readonly hostname: string
  readonly label: string
  readonly state: string
  readonly version: string
  readonly org: string
  readonly last_heartbeat: number
  readonly drained?: boolean
}

export interface ListedJob {
  readonly id: string
  readonly kind: JobKind
  readonly state: JobState
  readonly license_id: string
  readonly app?: string
  readonly target?: string
  readonly urgent?: boolean
  readonly deployment_id?: string
  readonly retry_of?: string
  readonly serial_key?: string
  readonly dedupe_key?: string
  readonly attempt: number
  readonly max_attempts: number
  readonly lost_leases: number
  readonly timeout_seconds: number
  readonly created_at: number
  readonly claimed_by?: string
  readonly claimed_at?: number
  readonly started_at?: number
  readonly finished_at?: number
  readonly lease_expires_at?: number
  readonly cancel_requested_at?: number
  readonly cancel_reason?: string
  readonly exit_code?: number
  readonly error?: string
}

export interface LogLine {
  readonly ts: number
  readonly line: string
  readonly attempt: number
  readonly offset: number
}

export interface Monitor {
  readonly id: string
  readonly name: string
  readonly tenant_id?: string
  readonly license_id?: string
  readonly state: 'pending' | 'ok' | 'drifted' | 'unreachable' | 'paused'
  readonly host: string
  readonly type: RecordType
  readonly mode: 'baseline' | 'expect'
  readonly match: 'exact' | 'contains' | 'subset' | 'absent'
  readonly expected?: readonly string[]
  readonly confirmed?: readonly string[]
  readonly pending?: readonly string[]
  readonly error?: MonitorError
  readonly error_streak: number
  readonly interval_seconds: number
  readonly confirmations: number
  readonly resolvers: readonly string[]
  readonly drifted_at?: number
  readonly unreachable_at?: number
  readonly paused_at?: number
  readonly last_run_at?: number
  readonly last_answer_at?: number
  readonly next_run_at: number
  readonly created_at: number
}

export type MonitorError = 'timeout' | 'servfail' | 'refused' | 'malformed' | 'unreachable' | 'inconsistent'

export interface ObservedCron {
  readonly name: string
  readonly schedule: string
  readonly timezone: string
  readonly running: boolean
  readonly last_at?: number
  readonly seconds?: number
  readonly fault?: string
  readonly skipped: number
}

export interface ObservedEntry {
  readonly app: string
  readonly state: 'up' | 'degraded' | 'down' | 'stopped' | 'gone'
  readonly sha?: string
  readonly release: number
  readonly up: number
  readonly of: number
  readonly missing?: readonly string[]
  readonly restarts: number
  readonly crons?: readonly ObservedCron[]
  readonly maintenance?: boolean
  readonly certificates?: readonly {
    readonly domain: string
    readonly until?: number
  }[]
}

export type OrderGate = 'live_opt_in' | 'credential' | 'catalog' | 'template' | 'spend_ceiling'

export type OrderState = 'requested' | 'pricing' | 'reserving' | 'creating' | 'waiting_action' | 'booting' | 'waiting_agent' | 'ready' | 'failed' | 'failed_kept' | 'cancelled' | 'delete_requested' | 'cleanup_lookup' | 'deleting' | 'waiting_delete' | 'deleted'

export type PageRefusal = 'scheme' | 'userinfo' | 'port' | 'dns' | 'private_address' | 'domain' | 'browser'

export interface PaymentEvent {
  readonly id: string
  readonly type: string
  readonly state: 'received' | 'applied' | 'ignored' | 'parked' | 'failed'
  readonly error?: string
  readonly livemode: boolean
  readonly object_id: string
  readonly license_id?: string
  readonly attempts: number
  readonly created_at: number
  readonly received_at: number
  readonly next_attempt_at: number
}

export interface ProviderCredential {
  readonly provider: HostingProvider
  readonly source: 'settings' | 'stored'
  readonly fingerprint: string
  readonly state: 'unverified' | 'verified' | 'invalid'
  readonly verified_at: number
  readonly rate_reset_at: number
}

export interface ProviderServer {
  readonly id: string
  readonly name: string
  readonly running: boolean
  readonly order_id?: string
  readonly ipv4?: string
}

export interface PruneWork {
  readonly kind: 'prune'
  readonly payload: {
    readonly older_than_seconds?: number
  }
}

export interface Readiness {
  readonly ok: boolean
  readonly checks: {
    readonly disk?: {
      readonly status: CheckState
      readonly reason?: string
    }
    readonly database: {
      readonly status: CheckState
      readonly embedded?: string
      readonly latency_ms?: number
      readonly reason?: string
    }
    readonly tables?: {
      readonly status: CheckState
      readonly missing: readonly string[]
    }
    readonly migrations?: {
      readonly status: CheckState
      readonly pending: readonly string[]
      readonly drifted: readonly string[]
      readonly ahead?: readonly string[]
    }
    readonly signing: {
      readonly status: CheckState
      readonly reason?: string
    }
    readonly licensing: {
      readonly status: CheckState
      readonly mode: 'allow-list' | 'issued' | 'development'
      readonly reason?: string
    }
    readonly settings?: {
      readonly status: CheckState
      readonly closed: readonly string[]
    }
    readonly starting?: {
      readonly status: CheckState
    }
    readonly draining?: {
      readonly status: CheckState
    }
  }
}

export type RecordStatus = 'pending' | 'verified' | 'missing' | 'mismatch' | 'conflict' | 'invalid' | 'insecure' | 'temporary_failure'

export type RecordType = 'A' | 'AAAA' | 'CNAME' | 'MX' | 'NS' | 'TXT' | 'CAA' | 'SRV' | 'SOA'

export interface RedeployWork {
  readonly kind: 'redeploy'
  readonly payload: {
    readonly app: string
    readonly source?: Source
  }
}

export interface Release {
  readonly id: string
  readonly job_id: string
  readonly sha?: string
  readonly uploaded?: boolean
  readonly state: JobState
  readonly host?: string
  readonly by?: string
  readonly created_at: number
}

export interface RemoveWork {
  readonly kind: 'remove'
  readonly payload: {
    readonly app: string
  }
}

export interface RestoreWork {
  readonly kind: 'restore'
  readonly payload: {
    readonly image_id?: string
    readonly checksum?: string
    readonly target: string
    readonly verify?: boolean
    readonly drill?: boolean
  }
}

export interface Scan {
  readonly id: string
  readonly domain: string
  readonly license_id: string
  readonly state: 'queued' | 'running' | 'done' | 'partial' | 'failed' | 'aborted'
  readonly checks: readonly string[]
  readonly created_at?: number
  readonly started_at?: number
  readonly finished_at?: number
  readonly progress: number
  readonly error?: string
  readonly hosts: readonly ScannedHost[]
  readonly findings: readonly ({
    readonly id: string
    readonly check: string
    readonly severity: 'high' | 'medium' | 'low' | 'info'
    readonly host: string
    readonly url?: string
    readonly evidence: string
    readonly remediation: string
    readonly first_seen_at?: number
    readonly status?: 'open' | 'fixed'
  })[]
  readonly skipped: readonly {
    readonly host: string
    readonly reason: string
  }[]
  readonly errors: readonly {
    readonly check: string
    readonly source: string
    readonly error: string
  }[]
}

export interface ScanHead {
  readonly id: string
  readonly domain: string
  readonly license_id: string
  readonly state: 'queued' | 'running' | 'done' | 'partial' | 'failed' | 'aborted'
  readonly checks: readonly string[]
  readonly created_at?: number
  readonly started_at?: number
  readonly finished_at?: number
  readonly progress: number
  readonly error?: string
}

export interface ScanTarget {
  readonly domain: string
  readonly license_id: string
  readonly verified: boolean
  readonly verified_at?: number
  readonly challenge: DomainChallenge
  readonly checked_at?: number
  readonly reason?: string
}

export interface ScannedHost {
  readonly name: string
  readonly ips: readonly ({
    readonly ip: string
    readonly attested: boolean
    readonly cdn: string | null
  })[]
  readonly sources: readonly string[]
  readonly ports: readonly {
    readonly ip: string
    readonly port: number
    readonly state: 'open'
    readonly service: string
    readonly banner?: string
    readonly tls?: {
      readonly protocol: string
      readonly issuer: string
      readonly not_after: number
      readonly names: readonly string[]
      readonly named: boolean
      readonly valid: boolean
      readonly problem?: string
    }
  }[]
  readonly http: readonly {
    readonly url: string
    readonly status: number
    readonly server?: string
    readonly title?: string
    readonly location?: string
    readonly tech: readonly string[]
    readonly missing_headers: readonly string[]
  }[]
}

export interface Screenshot {
  readonly mime: 'image/png'
  readonly base64: string
  readonly width: number
  readonly height: number
}

export interface SecurityRevision {
  readonly revision: number
  readonly sha256: string
  readonly settings: SecuritySettings
  readonly updated_at?: number
  readonly updated_by?: string
}

export interface SecuritySettings {
  readonly firewall?: {
    readonly enabled?: boolean
    readonly allow?: readonly FirewallRule[]
    readonly deny_from?: readonly string[]
    readonly trusted_interfaces?: readonly string[]
    readonly icmp?: boolean
    readonly ssh_rate_limit?: number
    readonly log_drops?: boolean
  }
  readonly ssh?: {
    readonly password_auth?: 'keep' | 'yes' | 'no'
    readonly root_login?: 'keep' | 'yes' | 'prohibit-password' | 'no'
    readonly max_auth_tries?: number
    readonly allow_users?: readonly string[]
  }
  readonly sysctl?: 'none' | 'baseline'
  readonly auto_updates?: 'keep' | 'on' | 'off'
}

export interface SeenScanTarget {
  readonly domain: string
  readonly license_id: string
  readonly verified: boolean
  readonly verified_at?: number
  readonly challenge: DomainChallenge
  readonly checked_at?: number
  readonly reason?: string
  readonly last_scan?: {
    readonly id: string
    readonly state: 'queued' | 'running' | 'done' | 'partial' | 'failed' | 'aborted'
    readonly finished_at?: number
    readonly open_findings: {
      readonly high: number
      readonly medium: number
      readonly low: number
      readonly info: number
    }
  }
}

export interface ServerOrder {
  readonly id: string
  readonly license_id: string
  readonly plan: string
  readonly provider: HostingProvider
  readonly server_type: string
  readonly location: string
  readonly image: string
  readonly hostname: string
  readonly server_name: string
  readonly state: OrderState
  readonly state_since: number
  readonly attempt: number
  readonly creates: number
  readonly next_run_at: number
  readonly created_at: number
  readonly updated_at: number
  readonly server_id?: string
  readonly ipv4?: string
  readonly ipv6?: string
  readonly user_data_sha256?: string
  readonly reserves?: string
  readonly error_code?: string
  readonly error_detail?: string
}

export interface ServerOrderEvent {
  readonly at: number
  readonly from: OrderState
  readonly to: OrderState
  readonly step: string
  readonly outcome: 'advanced' | 'waiting' | 'retry' | 'failed' | 'held' | 'sent'
  readonly http_status?: number
  readonly correlation_id?: string
  readonly detail?: string
}

export interface ServerOrderStep {
  readonly order_id: string
  readonly step: string
  readonly previous_state: OrderState
  readonly state: OrderState
  readonly provider: HostingProvider
  readonly server_id?: string
  readonly next_run_at: number
  readonly attempt: number
  readonly outcome: 'advanced' | 'waiting' | 'retry' | 'failed' | 'held' | 'sent'
  readonly error_code?: string
}

export type Source = GitSource | ImageSource | UploadSource

export interface StopWork {
  readonly kind: 'stop'
  readonly payload: {
    readonly app: string
  }
}

export interface Subscription {
  readonly id: string
  readonly status?: 'incomplete' | 'incomplete_expired' | 'trialing' | 'active' | 'past_due' | 'unpaid' | 'paused' | 'canceled'
  readonly tier?: string
  readonly price_id?: string
  readonly customer_id: string
  readonly cancel_at: number
  readonly current_period_end: number
  readonly ended_at: number
  readonly parked_reason?: 'unknown_price' | 'ambiguous_price' | 'unknown_status' | 'duplicate_subscription'
}

export interface Suppression {
  readonly license_id?: string
  readonly address: string
  readonly reason: string
  readonly until: number
  readonly created_at: number
}

export interface SystemCheck {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped'
  readonly detail?: 'timeout' | 'error' | 'bad-setting' | 'doubtful-setting' | 'not-configured' | 'unset' | 'unusable' | 'short' | 'new-at-each-start' | 'retired-key-unusable' | 'to-rotate' | 'key-missing' | 'development-rules' | 'no-license' | 'one-replica' | 'unreachable' | 'sessions-not-kept' | 'limits-missing' | 'in-memory' | 'embedded' | 'tables-missing' | 'pending' | 'drifted' | 'ahead' | 'clock-differs' | 'old-transaction' | 'audit-can-change' | 'disk-nearly-full' | 'disk-full' | 'never-ran' | 'stalled' | 'job-waits' | 'lease-expired' | 'not-accepted' | 'archive-missing' | 'logs-ahead' | 'log-rights' | 'no-resolver' | 'no-answer' | 'some-do-not-answer' | 'refused' | 'busy' | 'unexpected-answer' | 'address-refused' | 'unresolved' | 'not-trusted' | 'no-documents' | 'served' | 'not-there-yet' | 'not-writable' | 'open-to-others' | 'belongs-to-another' | 'in-use' | 'not-allowed' | 'too-old' | 'not-found'
  readonly latency_ms?: number
}

export interface Tenant {
  readonly id: string
  readonly name: string
  readonly created_at: number
}

export interface Tier {
  readonly tier: string
  readonly price_id?: string
  readonly plan: string
  readonly features: readonly string[]
}

export interface TransferKey {
  readonly id: string
  readonly state: 'active' | 'used_up' | 'expired' | 'revoked' | 'locked'
  readonly license_id: string
  readonly source_fingerprint: string
  readonly target_fingerprint: string
  readonly mode: 'pull' | 'drop'
  readonly max_uses: number
  readonly uses: number
  readonly pin_kind: 'none' | 'spki' | 'secret'
  readonly pin_spki?: string
  readonly pin_fails: number
  readonly scope?: TransferScope
  readonly created_at: number
  readonly expires_at: number
  readonly last_used_at?: number
  readonly revoked_at?: number
}

export interface TransferScope {
  readonly app?: string
  readonly image_checksum?: string
  readonly paths?: readonly string[]
  readonly max_bytes?: number
}

export interface UnexposeWork {
  readonly kind: 'unexpose'
  readonly payload: {
    readonly app: string
    readonly domain: string
  }
}

export interface UploadSource {
  readonly type: 'upload'
  readonly sha: string
}

export interface UsageSeries {
  readonly from: number
  readonly step_seconds: number
  readonly steps: number
  readonly points: readonly {
    readonly at: number
    readonly cpu_pct?: number
    readonly mem_pct?: number
    readonly disk_pct?: number
  }[]
}

export interface User {
  readonly id: string
  readonly email: string
  readonly role: string
  readonly tenant_id?: string
  readonly permissions: readonly string[]
  readonly second_factor?: boolean
  readonly disabled_at?: number
  readonly created_at: number
}

export interface Variable {
  readonly name: string
  readonly secret: boolean
  readonly value?: string
  readonly updated_at: number
}

export interface WebhookAttempt {
  readonly n: number
  readonly at: number
  readonly duration_ms: number
  readonly status?: number
  readonly error?: string
  readonly response: string
}

export interface WebhookDelivery {
  readonly id: string
  readonly message_id: string
  readonly type: string
  readonly state: 'pending' | 'sending' | 'delivered' | 'failed' | 'expired' | 'skipped' | 'cancelled'
  readonly attempt: number
  readonly next_attempt_at: number
  readonly created_at: number
  readonly delivered_at: number
  readonly last_status?: number
  readonly last_error?: string
}

export interface WebhookEndpoint {
  readonly id: string
  readonly license_id?: string
  readonly url: string
  readonly description: string
  readonly events: readonly string[]
  readonly state: 'enabled' | 'disabled'
  readonly disabled_reason?: 'manual' | 'failing' | 'gone'
  readonly breaker: {
    readonly state: 'closed' | 'open' | 'half_open'
    readonly consecutive_failures: number
    readonly retry_at: number
  }
  readonly secret_hint?: string
  readonly old_secret_valid_until: number
  readonly pending: number
  readonly created_at: number
  readonly updated_at: number
  readonly last_success_at: number
  readonly last_failure_at: number
  readonly last_error?: string
}

export interface WebhookMessage {
  readonly type: string
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The input and the answer of each operation, by its name. */
export interface OperationTypes {
  /** Issue a license; its key is shown once. */
  readonly 'licenses.issue': {
    readonly input: {
      readonly tenant?: string | undefined
      readonly label?: string | undefined
      readonly expires?: string | undefined
      readonly tier?: string | undefined
      readonly contact?: string | undefined
      readonly agent_only?: boolean | undefined
    }
    readonly answer: {
      readonly license: License
      readonly key: string
    }
  }
  /** List the issued licenses. */
  readonly 'licenses.list': {
    readonly input: Readonly<Record<string, never>>
    readonly answer: {
      readonly licenses: readonly License[]
    }
  }
  /** Show one license and how many hosts it has. */
  readonly 'licenses.show': {
    readonly input: {
      readonly license: string
    }
    readonly answer: {
      readonly license: License
      readonly tenant?: string
      readonly hosts: number
    }
  }
  /** Give a license another label; empty removes it. */
  readonly 'licenses.rename': {
    readonly input: {
      readonly license: string
      readonly label: string
    }
    readonly answer: {
      readonly license: License
    }
  }
  /** Give a license another tier, or another address for messages about it. */
  readonly 'licenses.edit': {
    readonly input: {
      readonly license: string
      readonly tier?: string | undefined
      readonly contact?: string | undefined
    }
    readonly answer: {
      readonly license: License
    }
  }
  /** Move the end of a license, or take it away. */
  readonly 'licenses.extend': {
    readonly input: {
      readonly license: string
      readonly expires?: string | undefined
      readonly never?: boolean | undefined
    }
    readonly answer: {
      readonly license: License
    }
  }
  /** Bar a license until it is reinstated; its hosts are refused from the next request on. */
  readonly 'licenses.suspend': {
    readonly input: {
      readonly license: string
    }
    readonly answer: {
      readonly license: License
    }
  }
  /** Lift a suspension. */
  readonly 'licenses.reinstate': {
    readonly input: {
      readonly license: string
    }
    readonly answer: {
      readonly license: License
    }
  }
  /** End a license for good. */
  readonly 'licenses.revoke': {
    readonly input: {
      readonly license: string
    }
    readonly answer: {
      readonly license: License
    }
  }
  /** Restrict a license key to acting for hosts; a dry run shows its other recent calls. */
  readonly 'licenses.restrict': {
    readonly input: {
      readonly license?: string | undefined
      readonly all?: boolean | undefined
      readonly dry_run?: boolean | undefined
    }
    readonly answer: {
      readonly licenses: readonly License[]
      readonly calls: readonly ({
        readonly license: string
        readonly deed: 'git-hooks' | 'git-push' | 'node-security' | 'webhook-endpoints' | 'email-domains' | 'email-keys' | 'email-send' | 'transfer-keys' | 'scans' | 'checkouts'
        readonly calls: number
        readonly last_at: number
      })[]
    }
  }
  /** Lift the restriction of a license key to acting for hosts. */
  readonly 'licenses.unrestrict': {
    readonly input: {
      readonly license: string
    }
    readonly answer: {
      readonly license: License
    }
  }
  /** Add a tenant. */
  readonly 'tenants.add': {
    readonly input: {
      readonly name: string
    }
    readonly answer: {
      readonly tenant: Tenant
    }
  }
  /** List the tenants. */
  readonly 'tenants.list': {
    readonly input: Readonly<Record<string, never>>
    readonly answer: {
      readonly tenants: readonly Tenant[]
    }
  }
  /** Add a user: platform staff, or with a tenant one of its people. */
  readonly 'users.add': {
    readonly input: {
      readonly email: string
      readonly role: string
      readonly tenant?: string | undefined
      readonly password?: string | undefined
    }
    readonly answer: {
      readonly user: User
    }
  }
  /** Print the one-time code with which the first administrator makes their account. */
  readonly 'users.first-code': {
    readonly input: Readonly<Record<string, never>>
    readonly answer: {
      readonly needed: boolean
      readonly code?: string
      readonly expires_at?: number
    }
  }
  /** List the users. */
  readonly 'users.list': {
    readonly input: Readonly<Record<string, never>>
    readonly answer: {
      readonly users: readonly User[]
    }
  }
  /** Give a user another role. */
  readonly 'users.set-role': {
    readonly input: {
      readonly email: string
      readonly role: string
    }
    readonly answer: {
      readonly user: User
    }
  }
  /** Set a password; ends the sessions of the user. */
  readonly 'users.set-password': {
    readonly input: {
      readonly email: string
      readonly password: string
    }
    readonly answer: {
      readonly user: User
    }
  }
  /** Bar a user; ends their sessions. */
  readonly 'users.disable': {
    readonly input: {
      readonly email: string
    }
    readonly answer: {
      readonly user: User
    }
  }
  /** Let a barred user in again. */
  readonly 'users.enable': {
    readonly input: {
      readonly email: string
    }
    readonly answer: {
      readonly user: User
    }
  }
  /** Take the second factor from a user who has lost it; ends their sessions. */
  readonly 'users.reset-second-factor': {
    readonly input: {
      readonly email: string
    }
    readonly answer: {
      readonly user: User
      readonly removed: boolean
    }
  }
  /** Open a session for a user and print its cookie. */
  readonly 'sessions.mint': {
    readonly input: {
      readonly email: string
    }
    readonly answer: {
      readonly cookie: string
      readonly expires: string
    }
  }
  /** End every session of a user. */
  readonly 'sessions.revoke': {
    readonly input: {
      readonly email: string
    }
    readonly answer: {
      readonly revoked: number
    }
  }
  /** Issue an API token for a program; it is shown once. */
  readonly 'tokens.issue': {
    readonly input: {
      readonly role: string
      readonly tenant?: string | undefined
      readonly label?: string | undefined
      readonly expires?: string | undefined
    }
    readonly answer: {
      readonly token: ApiToken
      readonly secret: string
    }
  }
  /** List the API tokens, without their secrets. */
  readonly 'tokens.list': {
    readonly input: Readonly<Record<string, never>>
    readonly answer: {
      readonly tokens: readonly ApiToken[]
    }
  }
  /** End an API token for good, from its next request on. */
  readonly 'tokens.revoke': {
    readonly input: {
      readonly token: string
    }
    readonly answer: {
      readonly token: ApiToken
    }
  }
  /** Give the hosts of a license a job. */
  readonly 'jobs.enqueue': {
    readonly input: {
      readonly kind: JobKind
      readonly license: string
      readonly host?: string | undefined
      readonly payload?: Readonly<Record<string, unknown>> | undefined
      readonly urgent?: boolean | undefined
      readonly serial_key?: string | undefined
      readonly dedupe_key?: string | undefined
      readonly run_at?: string | undefined
      readonly max_attempts?: number | undefined
      readonly timeout_seconds?: number | undefined
    }
    readonly answer: {
      readonly job: Job
      readonly deployment?: JobDeployment
      readonly created: boolean
      readonly warning?: string
    }
  }
  /** List jobs, newest first, without their payloads. */
  readonly 'jobs.list': {
    readonly input: {
      readonly state?: JobState | undefined
      readonly kind?: JobKind | undefined
      readonly license?: string | undefined
      readonly tenant?: string | undefined
      readonly host?: string | undefined
      readonly app?: string | undefined
      readonly since?: number | undefined
      readonly id_end?: string | undefined
      readonly limit?: number | undefined
      readonly cursor?: string | undefined
    }
    readonly answer: {
      readonly jobs: readonly ListedJob[]
      readonly next_cursor?: string
    }
  }
  /** Show one job. */
  readonly 'jobs.show': {
    readonly input: {
      readonly job: string
    }
    readonly answer: {
      readonly job: Job
      readonly deployment?: JobDeployment
      readonly log_lines: number
      readonly log_gone?: boolean
    }
  }
  /** Read the log of a job. */
  readonly 'jobs.logs': {
    readonly input: {
      readonly job: string
      readonly after?: number | undefined
      readonly limit?: number | undefined
    }
    readonly answer: {
      readonly logs: readonly LogLine[]
      readonly next: number
      readonly more: boolean
      readonly state: JobState
      readonly done: boolean
      readonly log_gone?: boolean
      readonly error?: string
    }
  }
  /** Say why a job waits. */
  readonly 'jobs.why': {
    readonly input: {
      readonly job: string
    }
    readonly answer: {
      readonly job: Job
      readonly reasons: readonly {
        readonly code: string
        readonly text: string
      }[]
    }
  }
  /** Do the work of a finished job again, as a new job. */
  readonly 'jobs.retry': {
    readonly input: {
      readonly job: string
    }
    readonly answer: {
      readonly job: Job
      readonly deployment?: JobDeployment
      readonly created: boolean
      readonly warning?: string
    }
  }
  /** End a job that waits, or ask its host to stop it. */
  readonly 'jobs.cancel': {
    readonly input: {
      readonly job: string
      readonly reason?: string | undefined
    }
    readonly answer: {
      readonly job: Job
      readonly effect: 'ended' | 'requested' | 'none'
    }
  }
  /** Show how long jobs and logs are kept, and how many are past that. */
  readonly 'retention.show': {
    readonly input: Readonly<Record<string, never>>
    readonly answer: {
      readonly jobs: {
        readonly days: number
        readonly goes: boolean
        readonly rows: number
        readonly more: boolean
        readonly oldest_finished_at?: number
      }
      readonly logs: {
        readonly days: number
        readonly goes: boolean
        readonly rows: number
        readonly more: boolean
        readonly bytes: number
        readonly gone_before?: number
      }
      readonly held: boolean
      readonly accepted_at?: number
      readonly accepted_by?: string
      readonly archive?: {
        readonly dir?: string
        readonly fault?: string
      }
    }
  }
  /** Let jobs and logs from before there were rules of retention go. */
  readonly 'retention.accept': {
    readonly input: {
      readonly job_days: number
      readonly log_days: number
    }
    readonly answer: {
      readonly jobs: {
        readonly days: number
        readonly goes: boolean
        readonly rows: number
        readonly more: boolean
        readonly oldest_finished_at?: number
      }
      readonly logs: {
        readonly days: number
        readonly goes: boolean
        readonly rows: number
        readonly more: boolean
        readonly bytes: number
        readonly gone_before?: number
      }
      readonly held: boolean
      readonly accepted_at?: number
      readonly accepted_by?: string
      readonly archive?: {
        readonly dir?: string
        readonly fault?: string
      }
    }
  }
  /** Remove jobs and logs that are past their retention. */
  readonly 'retention.run': {
    readonly input: {
      readonly for_seconds?: number | undefined
    }
    readonly answer: {
      readonly jobs: number
      readonly logs: number
      readonly more: boolean
    }
  }
  /** Show processor, memory and disk of a host over a day and a month. */
  readonly 'fleet.usage': {
    readonly input: {
      readonly host: string
      readonly license?: string | undefined
    }
    readonly answer: {
      readonly host: HostName
      readonly day: UsageSeries
      readonly month: UsageSeries
      readonly gathering_since: number
    }
  }
  /** List the hosts. */
  readonly 'fleet.servers': {
    readonly input: {
      readonly license?: string | undefined
    }
    readonly answer: {
      readonly servers: readonly ListedHost[]
    }
  }
  /** List the backups of the hosts. */
  readonly 'fleet.backups': {
    readonly input: {
      readonly license?: string | undefined
      readonly host?: string | undefined
    }
    readonly answer: {
      readonly backups: readonly HostBackup[]
    }
  }
  /** Show everything that is known of one host. */
  readonly 'fleet.show': {
    readonly input: {
      readonly host: string
      readonly license?: string | undefined
    }
    readonly answer: {
      readonly server: Host
    }
  }
  /** Give a host no new jobs; it finishes its running ones. */
  readonly 'fleet.drain': {
    readonly input: {
      readonly host: string
      readonly license?: string | undefined
    }
    readonly answer: {
      readonly server: ListedHost
    }
  }
  /** Let a drained host take jobs again. */
  readonly 'fleet.undrain': {
    readonly input: {
      readonly host: string
      readonly license?: string | undefined
    }
    readonly answer: {
      readonly server: ListedHost
    }
  }
  /** Set the operator's name of a host; empty removes it. */
  readonly 'fleet.label': {
    readonly input: {
      readonly host: string
      readonly license?: string | undefined
      readonly label: string
    }
    readonly answer: {
      readonly server: ListedHost
    }
  }
  /** Take a host that is gone off the list. */
  readonly 'fleet.forget': {
    readonly input: {
      readonly host: string
      readonly license?: string | undefined
      readonly force?: boolean | undefined
    }
    readonly answer: {
      readonly server: ListedHost
    }
  }
  /** List captured images, the latest first. */
  readonly 'images.list': {
    readonly input: {
      readonly license?: string | undefined
      readonly host?: string | undefined
      readonly app?: string | undefined
      readonly state?: 'available' | 'pruned' | undefined
      readonly limit?: number | undefined
    }
    readonly answer: {
      readonly images: readonly Image[]
    }
  }
  /** Show one image. */
  readonly 'images.show': {
    readonly input: {
      readonly image: string
      readonly license?: string | undefined
    }
    readonly answer: {
      readonly image: Image
    }
  }
  /** Take an image off the ledger; its snapshot stays where it is. */
  readonly 'images.forget': {
    readonly input: {
      readonly image: string
      readonly license?: string | undefined
      readonly force?: boolean | undefined
    }
    readonly answer: {
      readonly image: Image
    }
  }
  /** Restore an image on its host, or on another one, or try its restore out. */
  readonly 'images.restore': {
    readonly input: {
      readonly image: string
      readonly license?: string | undefined
      readonly host?: string | undefined
      readonly target?: string | undefined
      readonly drill?: boolean | undefined
      readonly verify?: boolean | undefined
      readonly data?: 'restore' | 'undo' | undefined
    }
    readonly answer: {
      readonly image: Image
      readonly job: Job
    }
  }
  /** Mint a key that lets one host get data from another; it is shown once. */
  readonly 'transfer.mint': {
    readonly input: {
      readonly license?: string | undefined
      readonly from: string
      readonly to: string
      readonly mode?: 'pull' | 'drop' | undefined
      readonly max_uses?: number | undefined
      readonly pin?: string | undefined
      readonly ttl_s?: number | undefined
      readonly scope?: TransferScope | undefined
    }
    readonly answer: {
      readonly key: TransferKey
      readonly secret: string
      readonly pin_required: boolean
    }
  }
  /** List transfer keys, newest first, without their secrets. */
  readonly 'transfer.list': {
    readonly input: {
      readonly license?: string | undefined
      readonly limit?: number | undefined
    }
    readonly answer: {
      readonly keys: readonly TransferKey[]
    }
  }
  /** Show one transfer key, and the sessions that it opened. */
  readonly 'transfer.show': {
    readonly input: {
      readonly key: string
    }
    readonly answer: {
      readonly key: TransferKey
      readonly uses: readonly {
        readonly transfer_id: string
        readonly at: number
        readonly caller_fingerprint: string
        readonly peer_fingerprint: string
      }[]
    }
  }
  /** End a transfer key for good, from its next use on. */
  readonly 'transfer.revoke': {
    readonly input: {
      readonly key: string
    }
    readonly answer: {
      readonly key: TransferKey
    }
  }
  /** Open a session on a host: a terminal, a command, or bytes to its SSH server. */
  readonly 'ssh.open': {
    readonly input: {
      readonly host: string
      readonly mode?: 'shell' | 'exec' | 'tcp' | undefined
      readonly command?: string | undefined
      readonly user?: string | undefined
      readonly cols?: number | undefined
      readonly rows?: number | undefined
      readonly term?: string | undefined
      readonly reason?: string | undefined
      readonly license?: string | undefined
    }
    readonly answer: AccessOpened
  }
  /** Read the output of an app on its host, and follow it. */
  readonly 'apps.logs': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly host?: string | undefined
      readonly process?: string | undefined
      readonly since?: string | undefined
      readonly lines?: number | undefined
      readonly follow?: boolean | undefined
    }
    readonly answer: AccessOpened
  }
  /** Run one command in the live release of an app, with its variables. */
  readonly 'apps.run': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly host?: string | undefined
      readonly command: string
      readonly reason?: string | undefined
    }
    readonly answer: AccessOpened
  }
  /** Send a commit of an app to its host, which a deploy then takes. */
  readonly 'apps.upload': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly host?: string | undefined
      readonly sha: string
    }
    readonly answer: AccessOpened
  }
  /** List the sessions on hosts, newest first. */
  readonly 'ssh.sessions': {
    readonly input: {
      readonly active?: boolean | undefined
      readonly host?: string | undefined
      readonly license?: string | undefined
      readonly limit?: number | undefined
    }
    readonly answer: {
      readonly sessions: readonly AccessSession[]
    }
  }
  /** End a session on a host now. */
  readonly 'ssh.revoke': {
    readonly input: {
      readonly session: string
    }
    readonly answer: {
      readonly session: AccessSession
    }
  }
  /** Forget the key that a host asks for sessions with, after it was set up anew. */
  readonly 'fleet.reset-key': {
    readonly input: {
      readonly host: string
      readonly license?: string | undefined
    }
    readonly answer: {
      readonly host: HostName
    }
  }
  /** Watch the records of a DNS name. */
  readonly 'monitors.add': {
    readonly input: {
      readonly name: string
      readonly host: string
      readonly type: RecordType
      readonly mode?: 'baseline' | 'expect' | undefined
      readonly expected?: readonly string[] | undefined
      readonly match?: 'exact' | 'contains' | 'subset' | 'absent' | undefined
      readonly interval_seconds?: number | undefined
      readonly confirmations?: number | undefined
      readonly resolvers?: readonly string[] | undefined
      readonly tenant?: string | undefined
      readonly license?: string | undefined
    }
    readonly answer: {
      readonly monitor: Monitor
    }
  }
  /** List monitors by name. */
  readonly 'monitors.list': {
    readonly input: {
      readonly tenant?: string | undefined
      readonly license?: string | undefined
    }
    readonly answer: {
      readonly monitors: readonly Monitor[]
    }
  }
  /** Show one monitor. */
  readonly 'monitors.show': {
    readonly input: {
      readonly monitor: string
    }
    readonly answer: {
      readonly monitor: Monitor
    }
  }
  /** Change the target of a monitor, or the way it is watched. */
  readonly 'monitors.update': {
    readonly input: {
      readonly monitor: string
      readonly host?: string | undefined
      readonly type?: RecordType | undefined
      readonly mode?: 'baseline' | 'expect' | undefined
      readonly expected?: readonly string[] | undefined
      readonly match?: 'exact' | 'contains' | 'subset' | 'absent' | undefined
      readonly interval_seconds?: number | undefined
      readonly confirmations?: number | undefined
      readonly resolvers?: readonly string[] | undefined
    }
    readonly answer: {
      readonly monitor: Monitor
    }
  }
  /** Stop asking for a monitor. */
  readonly 'monitors.pause': {
    readonly input: {
      readonly monitor: string
    }
    readonly answer: {
      readonly monitor: Monitor
    }
  }
  /** Ask for a paused monitor again, at once. */
  readonly 'monitors.resume': {
    readonly input: {
      readonly monitor: string
    }
    readonly answer: {
      readonly monitor: Monitor
    }
  }
  /** Remove a monitor with its history. */
  readonly 'monitors.remove': {
    readonly input: {
      readonly monitor: string
    }
    readonly answer: {
      readonly monitor: Monitor
    }
  }
  /** Take the present answer for the new baseline, which ends a drift. */
  readonly 'monitors.accept': {
    readonly input: {
      readonly monitor: string
    }
    readonly answer: {
      readonly monitor: Monitor
    }
  }
  /** Ask for a monitor now and change nothing. */
  readonly 'monitors.check': {
    readonly input: {
      readonly monitor: string
    }
    readonly answer: {
      readonly monitor: Monitor
      readonly answer?: readonly string[]
      readonly error?: MonitorError
      readonly as_expected?: boolean
    }
  }
  /** Run one monitor now, or all that are due. */
  readonly 'monitors.run': {
    readonly input: {
      readonly monitor?: string | undefined
    }
    readonly answer: {
      readonly ran: number
      readonly changed: number
      readonly outcome?: 'ok' | 'drift' | 'unconfirmed' | 'waiting' | 'error'
      readonly monitor?: Monitor
    }
  }
  /** List the results of a monitor's runs, newest first. */
  readonly 'monitors.history': {
    readonly input: {
      readonly monitor: string
      readonly limit?: number | undefined
    }
    readonly answer: {
      readonly monitor: Monitor
      readonly history: readonly ({
        readonly outcome: 'ok' | 'drift' | 'unconfirmed' | 'waiting' | 'error'
        readonly answer?: readonly string[]
        readonly error?: MonitorError
        readonly runs: number
        readonly first_at: number
        readonly last_at: number
      })[]
    }
  }
  /** List the endpoints that events are sent to. */
  readonly 'webhooks.list': {
    readonly input: {
      readonly license?: string | undefined
      readonly limit?: number | undefined
      readonly cursor?: string | undefined
    }
    readonly answer: {
      readonly endpoints: readonly WebhookEndpoint[]
      readonly event_types: readonly string[]
      readonly next_cursor?: string
    }
  }
  /** Show an endpoint with its deliveries, newest first, or one delivery. */
  readonly 'webhooks.show': {
    readonly input: {
      readonly license?: string | undefined
      readonly endpoint: string
      readonly state?: 'pending' | 'sending' | 'delivered' | 'failed' | 'expired' | 'skipped' | 'cancelled' | undefined
      readonly limit?: number | undefined
      readonly cursor?: string | undefined
      readonly delivery?: string | undefined
    }
    readonly answer: {
      readonly endpoint: WebhookEndpoint
      readonly deliveries?: readonly WebhookDelivery[]
      readonly next_cursor?: string
      readonly delivery?: WebhookDelivery
      readonly attempts?: readonly WebhookAttempt[]
      readonly payload?: WebhookMessage
    }
  }
  /** Send events to an address; its secret is shown this once. */
  readonly 'webhooks.add': {
    readonly input: {
      readonly license?: string | undefined
      readonly url: string
      readonly events?: readonly string[] | undefined
      readonly description?: string | undefined
      readonly enabled?: boolean | undefined
    }
    readonly answer: {
      readonly endpoint: WebhookEndpoint
      readonly secret: string
    }
  }
  /** Change an endpoint, disable it or enable it. */
  readonly 'webhooks.update': {
    readonly input: {
      readonly license?: string | undefined
      readonly endpoint: string
      readonly url?: string | undefined
      readonly events?: readonly string[] | undefined
      readonly description?: string | undefined
      readonly enabled?: boolean | undefined
    }
    readonly answer: {
      readonly endpoint: WebhookEndpoint
    }
  }
  /** Remove an endpoint; its waiting deliveries are cancelled. */
  readonly 'webhooks.remove': {
    readonly input: {
      readonly license?: string | undefined
      readonly endpoint: string
    }
    readonly answer: {
      readonly ok: boolean
      readonly cancelled: number
    }
  }
  /** Make a new secret; the former one signs too for a while. */
  readonly 'webhooks.rotate': {
    readonly input: {
      readonly license?: string | undefined
      readonly endpoint: string
      readonly grace_seconds?: number | undefined
    }
    readonly answer: {
      readonly endpoint: WebhookEndpoint
      readonly secret: string
    }
  }
  /** Send a test message to an endpoint with the next run. */
  readonly 'webhooks.test': {
    readonly input: {
      readonly license?: string | undefined
      readonly endpoint: string
    }
    readonly answer: {
      readonly message_id: string
      readonly delivery_id: string
    }
  }
  /** Send messages again: one delivery, or all of a period. */
  readonly 'webhooks.replay': {
    readonly input: {
      readonly license?: string | undefined
      readonly endpoint: string
      readonly delivery_id?: string | undefined
      readonly since?: number | undefined
      readonly until?: number | undefined
      readonly states?: readonly ('failed' | 'expired' | 'skipped' | 'cancelled')[] | undefined
      readonly dry_run?: boolean | undefined
    }
    readonly answer: {
      readonly queued: number
      readonly truncated?: boolean
    }
  }
  /** Retry a failing endpoint now (closes its circuit breaker). */
  readonly 'webhooks.reset-breaker': {
    readonly input: {
      readonly license?: string | undefined
      readonly endpoint: string
    }
    readonly answer: {
      readonly endpoint: WebhookEndpoint
    }
  }
  /** Send due deliveries now. */
  readonly 'webhooks.run': {
    readonly input: {
      readonly license?: string | undefined
      readonly limit?: number | undefined
      readonly endpoint_id?: string | undefined
    }
    readonly answer: {
      readonly ok: boolean
      readonly claimed: number
      readonly delivered: number
      readonly retried: number
      readonly failed: number
      readonly expired: number
      readonly held: number
      readonly remaining: number
    }
  }
  /** Add a domain to send from; without a license it is the platform’s own. */
  readonly 'email-domains.add': {
    readonly input: {
      readonly license?: string | undefined
      readonly name: string
    }
    readonly answer: {
      readonly domain: EmailDomain
      readonly created: boolean
    }
  }
  /** List the domains to send from, with the records to publish. */
  readonly 'email-domains.list': {
    readonly input: {
      readonly license?: string | undefined
      readonly limit?: number | undefined
      readonly cursor?: string | undefined
    }
    readonly answer: {
      readonly domains: readonly EmailDomain[]
      readonly next_cursor?: string
    }
  }
  /** Show one domain and the findings of its last check. */
  readonly 'email-domains.show': {
    readonly input: {
      readonly id: string
    }
    readonly answer: {
      readonly domain: EmailDomain
    }
  }
  /** Look up the records of a domain now. */
  readonly 'email-domains.verify': {
    readonly input: {
      readonly license?: string | undefined
      readonly id: string
    }
    readonly answer: {
      readonly domain: EmailDomain
      readonly verified: boolean
      readonly changed: boolean
    }
  }
  /** Show a domain's delivery results of the last week, and its faults. */
  readonly 'email-domains.health': {
    readonly input: {
      readonly license?: string | undefined
      readonly id: string
    }
    readonly answer: {
      readonly id: string
      readonly name: string
      readonly status: EmailDomainStatus
      readonly window_days: number
      readonly sent: number
      readonly accepted: number
      readonly deferred: number
      readonly bounced: number
      readonly suppressed: number
      readonly bounce_rate: number
      readonly checks: {
        readonly dkim: {
          readonly status: RecordStatus
          readonly selector: string
          readonly key_bits: number
        }
        readonly spf: {
          readonly status: RecordStatus
          readonly lookups?: number
        }
        readonly dmarc: {
          readonly status: RecordStatus
          readonly policy?: string
          readonly inherited?: boolean
        }
      }
      readonly issues: readonly ({
        readonly code: string
        readonly severity: 'info' | 'warning' | 'critical'
        readonly message: string
      })[]
      readonly checked_at: number
    }
  }
  /** Make the next DKIM key of a domain; it signs once its record is published. */
  readonly 'email-domains.rotate-dkim': {
    readonly input: {
      readonly id: string
    }
    readonly answer: {
      readonly domain: EmailDomain
    }
  }
  /** Remove a domain with its sending keys; nothing more is sent from it. */
  readonly 'email-domains.remove': {
    readonly input: {
      readonly id: string
    }
    readonly answer: {
      readonly domain: EmailDomain
    }
  }
  /** Make a key that sends messages and opens nothing else; it is shown once. */
  readonly 'email-keys.create': {
    readonly input: {
      readonly license?: string | undefined
      readonly name: string
      readonly domain_id?: string | undefined
      readonly expires_at?: number | undefined
    }
    readonly answer: {
      readonly key: EmailKey
      readonly token: string
    }
  }
  /** List the sending keys, without their secrets. */
  readonly 'email-keys.list': {
    readonly input: {
      readonly license?: string | undefined
      readonly limit?: number | undefined
      readonly cursor?: string | undefined
    }
    readonly answer: {
      readonly keys: readonly EmailKey[]
      readonly next_cursor?: string
    }
  }
  /** Show one sending key. */
  readonly 'email-keys.show': {
    readonly input: {
      readonly license?: string | undefined
      readonly id: string
    }
    readonly answer: {
      readonly key: EmailKey
    }
  }
  /** End a sending key for good, from its next request on. */
  readonly 'email-keys.revoke': {
    readonly input: {
      readonly license?: string | undefined
      readonly id: string
    }
    readonly answer: {
      readonly ok: boolean
    }
  }
  /** List messages and how their recipients fared, newest first. */
  readonly 'email-queue.list': {
    readonly input: {
      readonly state?: 'queued' | 'sending' | 'sent' | 'partial' | 'failed' | 'cancelled' | undefined
      readonly license?: string | undefined
      readonly limit?: number | undefined
      readonly cursor?: string | undefined
    }
    readonly answer: {
      readonly messages: readonly EmailMessage[]
      readonly next_cursor?: string
    }
  }
  /** Show one message and how its recipients fared. */
  readonly 'email-queue.show': {
    readonly input: {
      readonly id: string
    }
    readonly answer: {
      readonly message: EmailMessage
    }
  }
  /** Send a failed message again, to those who did not get it. */
  readonly 'email-queue.retry': {
    readonly input: {
      readonly id: string
    }
    readonly answer: {
      readonly message: EmailMessage
    }
  }
  /** End a message that waits; who has got it keeps it. */
  readonly 'email-queue.cancel': {
    readonly input: {
      readonly id: string
    }
    readonly answer: {
      readonly message: EmailMessage
    }
  }
  /** Queue a message from a verified domain. */
  readonly 'emails.send': {
    readonly input: {
      readonly license?: string | undefined
      readonly from: string
      readonly to: readonly string[]
      readonly subject: string
      readonly text: string
    }
    readonly answer: {
      readonly id: string
      readonly state: 'queued'
      readonly recipients: number
      readonly suppressed: readonly string[]
    }
  }
  /** List the addresses that get no messages, since they bounced. */
  readonly 'email-suppressions.list': {
    readonly input: {
      readonly license?: string | undefined
      readonly limit?: number | undefined
    }
    readonly answer: {
      readonly suppressions: readonly Suppression[]
    }
  }
  /** Send to an address again that bounced. */
  readonly 'email-suppressions.remove': {
    readonly input: {
      readonly address: string
      readonly license?: string | undefined
    }
    readonly answer: {
      readonly ok: boolean
    }
  }
  /** Connect to the mail relay and sign in; nothing is sent. */
  readonly 'email-relay.check': {
    readonly input: Readonly<Record<string, never>>
    readonly answer: {
      readonly ok: boolean
      readonly fault?: 'connect' | 'tls' | 'auth' | 'protocol' | 'cancelled'
      readonly detail?: string
      readonly tls?: boolean
    }
  }
  /** Send the due reminders to holders of licenses by mail. */
  readonly 'email-alerts.run': {
    readonly input: {
      readonly license?: string | undefined
      readonly dry_run?: boolean | undefined
    }
    readonly answer: {
      readonly ok: boolean
      readonly planned: {
        readonly license_expiry: number
        readonly billing_dunning: number
        readonly webhook_disabled: number
      }
      readonly sent: number
      readonly deferred: number
      readonly failed: number
      readonly no_recipient: number
      readonly cancelled: number
      readonly remaining: number
      readonly items?: readonly ({
        readonly kind: 'license_expiry' | 'billing_dunning' | 'webhook_disabled'
        readonly license_id: string
        readonly step: number
        readonly due_at: number
      })[]
    }
  }
  /** List the alerts, unresolved and newest first. */
  readonly 'alerts.list': {
    readonly input: {
      readonly license?: string | undefined
      readonly status?: AlertStatus | undefined
      readonly host?: string | undefined
      readonly kind?: AlertKind | undefined
      readonly since?: number | undefined
      readonly limit?: number | undefined
      readonly cursor?: string | undefined
    }
    readonly answer: {
      readonly alerts: readonly Alert[]
      readonly next_cursor?: string
    }
  }
  /** Show an alert, its announcements and the actions on it. */
  readonly 'alerts.show': {
    readonly input: {
      readonly id: string
    }
    readonly answer: {
      readonly alert: Alert
      readonly deliveries: readonly ({
        readonly transition: 'firing' | 'flapping' | 'resolved'
        readonly channel: 'log' | 'webhook' | 'mail'
        readonly state: 'due' | 'sent' | 'failed' | 'expired' | 'skipped' | 'cancelled'
        readonly attempts: number
        readonly settled_at?: number
        readonly http_status?: number
        readonly error?: string
      })[]
      readonly actions: readonly ({
        readonly at: number
        readonly actor: string
        readonly action: 'ack' | 'unack' | 'snooze' | 'unsnooze' | 'resolve'
        readonly note?: string
      })[]
    }
  }
  /** Say that somebody has taken an alert on; good for 24 hours. */
  readonly 'alerts.ack': {
    readonly input: {
      readonly license?: string | undefined
      readonly id?: string | undefined
      readonly dedup_key?: string | undefined
      readonly ids?: readonly string[] | undefined
      readonly until?: number | undefined
      readonly for_seconds?: number | undefined
      readonly note?: string | undefined
    }
    readonly answer: {
      readonly ok: boolean
      readonly alert?: Alert
      readonly alerts?: readonly Alert[]
    }
  }
  /** Take an acknowledgement back. */
  readonly 'alerts.unack': {
    readonly input: {
      readonly license?: string | undefined
      readonly id?: string | undefined
      readonly dedup_key?: string | undefined
      readonly ids?: readonly string[] | undefined
      readonly until?: number | undefined
      readonly for_seconds?: number | undefined
      readonly note?: string | undefined
    }
    readonly answer: {
      readonly ok: boolean
      readonly alert?: Alert
      readonly alerts?: readonly Alert[]
    }
  }
  /** Keep an alert silent for a time, also when it comes back. */
  readonly 'alerts.snooze': {
    readonly input: {
      readonly license?: string | undefined
      readonly id?: string | undefined
      readonly dedup_key?: string | undefined
      readonly ids?: readonly string[] | undefined
      readonly until?: number | undefined
      readonly for_seconds?: number | undefined
      readonly note?: string | undefined
    }
    readonly answer: {
      readonly ok: boolean
      readonly alert?: Alert
      readonly alerts?: readonly Alert[]
    }
  }
  /** End a snooze. */
  readonly 'alerts.unsnooze': {
    readonly input: {
      readonly license?: string | undefined
      readonly id?: string | undefined
      readonly dedup_key?: string | undefined
      readonly ids?: readonly string[] | undefined
      readonly until?: number | undefined
      readonly for_seconds?: number | undefined
      readonly note?: string | undefined
    }
    readonly answer: {
      readonly ok: boolean
      readonly alert?: Alert
      readonly alerts?: readonly Alert[]
    }
  }
  /** End an alert; a problem that persists opens it again. */
  readonly 'alerts.resolve': {
    readonly input: {
      readonly license?: string | undefined
      readonly id?: string | undefined
      readonly dedup_key?: string | undefined
      readonly ids?: readonly string[] | undefined
      readonly until?: number | undefined
      readonly for_seconds?: number | undefined
      readonly note?: string | undefined
    }
    readonly answer: {
      readonly ok: boolean
      readonly alert?: Alert
      readonly alerts?: readonly Alert[]
    }
  }
  /** List the webhooks and how their latest delivery went. */
  readonly 'alerts.webhooks': {
    readonly input: Readonly<Record<string, never>>
    readonly answer: {
      readonly webhooks: readonly AlertWebhook[]
    }
  }
  /** Send a tenant's alerts to an address; its secret is shown when it is made. */
  readonly 'alerts.webhook-set': {
    readonly input: {
      readonly tenant?: string | undefined
      readonly url: string
      readonly rotate?: boolean | undefined
    }
    readonly answer: {
      readonly webhook: AlertWebhook
      readonly secret?: string
    }
  }
  /** Send a tenant's alerts nowhere. */
  readonly 'alerts.webhook-remove': {
    readonly input: {
      readonly tenant?: string | undefined
    }
    readonly answer: {
      readonly ok: boolean
    }
  }
  /** Send a test message to a tenant's webhook now. */
  readonly 'alerts.webhook-test': {
    readonly input: {
      readonly tenant?: string | undefined
    }
    readonly answer: {
      readonly delivered: boolean
      readonly http_status?: number
      readonly error?: string
    }
  }
  /** List the mail addresses that alerts are sent to. */
  readonly 'alerts.mailboxes': {
    readonly input: Readonly<Record<string, never>>
    readonly answer: {
      readonly mailboxes: readonly AlertMailbox[]
    }
  }
  /** Send a tenant's alerts to these mail addresses, in place of those it had. */
  readonly 'alerts.mail-set': {
    readonly input: {
      readonly tenant?: string | undefined
      readonly to: readonly string[]
    }
    readonly answer: {
      readonly mailboxes: AlertMailbox
    }
  }
  /** Send a tenant's alerts to no mail address. */
  readonly 'alerts.mail-remove': {
    readonly input: {
      readonly tenant?: string | undefined
    }
    readonly answer: {
      readonly ok: boolean
    }
  }
  /** Send a test message to a tenant's mail addresses now. */
  readonly 'alerts.mail-test': {
    readonly input: {
      readonly tenant?: string | undefined
    }
    readonly answer: {
      readonly id: string
    }
  }
  /** Add a domain to scan, and show the DNS record that proves its ownership. */
  readonly 'surface.add': {
    readonly input: {
      readonly license: string
      readonly domain: string
    }
    readonly answer: {
      readonly target: ScanTarget
      readonly is_new: boolean
    }
  }
  /** Check the DNS record that proves the ownership of a domain. */
  readonly 'surface.verify': {
    readonly input: {
      readonly license?: string | undefined
      readonly domain: string
    }
    readonly answer: {
      readonly target: ScanTarget
    }
  }
  /** List the domains to scan, with their newest scans. */
  readonly 'surface.list': {
    readonly input: {
      readonly license?: string | undefined
      readonly limit?: number | undefined
    }
    readonly answer: {
      readonly targets: readonly SeenScanTarget[]
    }
  }
  /** Show a domain and its newest scan, or a scan by its id. */
  readonly 'surface.show': {
    readonly input: {
      readonly license?: string | undefined
      readonly domain: string
    }
    readonly answer: {
      readonly target: SeenScanTarget
      readonly scan?: Scan
    }
  }
  /** Scan a verified domain's public attack surface. */
  readonly 'surface.scan': {
    readonly input: {
      readonly license?: string | undefined
      readonly domain: string
      readonly checks?: readonly ('ports' | 'files' | 'ct' | 'fingerprint')[] | undefined
      readonly hosts?: readonly string[] | undefined
      readonly ports?: 'default' | 'top100' | readonly number[] | undefined
    }
    readonly answer: {
      readonly scan: ScanHead
    }
  }
  /** Abort a queued or running scan; its results are discarded. */
  readonly 'surface.abort': {
    readonly input: {
      readonly scan: string
    }
    readonly answer: {
      readonly scan: ScanHead
    }
  }
  /** List the findings of scans, high ones first. */
  readonly 'surface.findings': {
    readonly input: {
      readonly license?: string | undefined
      readonly domain?: string | undefined
      readonly status?: 'open' | 'fixed' | undefined
      readonly limit?: number | undefined
    }
    readonly answer: {
      readonly findings: readonly Finding[]
    }
  }
  /** Remove a domain with its scans and findings; a running scan ends. */
  readonly 'surface.remove': {
    readonly input: {
      readonly license?: string | undefined
      readonly domain: string
    }
    readonly answer: {
      readonly removed: string
    }
  }
  /** List the tiers of licenses, with their prices. */
  readonly 'billing.tiers': {
    readonly input: Readonly<Record<string, never>>
    readonly answer: {
      readonly tiers: readonly Tier[]
    }
  }
  /** Show how a license stands: its tier, subscriptions and unpaid invoices. */
  readonly 'billing.status': {
    readonly input: {
      readonly license: string
    }
    readonly answer: {
      readonly license_id: string
      readonly tier?: string
      readonly status: 'active' | 'suspended' | 'revoked' | 'expired'
      readonly status_reason?: 'billing' | 'operator'
      readonly billing_state?: 'active' | 'canceling' | 'past_due' | 'unpaid' | 'paused' | 'canceled' | 'incomplete'
      readonly current_period_end: number
      readonly expires_at: number
      readonly contact_email?: string
      readonly customer_id?: string
      readonly subscriptions: readonly Subscription[]
      readonly checkout?: {
        readonly id: string
        readonly tier: string
        readonly state: 'creating' | 'open' | 'completed' | 'expired' | 'failed'
        readonly expires_at: number
      }
      readonly unpaid_invoices: readonly {
        readonly invoice_id: string
        readonly since: number
      }[]
    }
  }
  /** Open the page where a license is paid for, or show the one that is open. */
  readonly 'billing.checkout': {
    readonly input: {
      readonly license: string
      readonly tier: string
      readonly success_url?: string | undefined
      readonly cancel_url?: string | undefined
      readonly customer_email?: string | undefined
    }
    readonly answer: {
      readonly id: string
      readonly session_id: string
      readonly url: string
      readonly tier: string
      readonly expires_at: number
      readonly reused: boolean
    }
  }
  /** Fetch a subscription, or all of a license, from the payment provider and apply their state. */
  readonly 'billing.sync': {
    readonly input: {
      readonly name: string
    }
    readonly answer: {
      readonly synced: readonly ({
        readonly id: string
        readonly outcome: 'applied' | 'stale' | 'parked' | 'unknown'
        readonly reason?: string
      })[]
    }
  }
  /** Compare all subscriptions with the payment provider's, and sync those that differ. */
  readonly 'billing.reconcile': {
    readonly input: {
      readonly dry_run?: boolean | undefined
    }
    readonly answer: {
      readonly dry_run: boolean
      readonly drifts: readonly ({
        readonly kind: 'missing' | 'differs' | 'gone' | 'duplicate'
        readonly subscription_id: string
        readonly license_id?: string
        readonly there?: string
        readonly here?: string
      })[]
    }
  }
  /** Sign an event as the payment provider would, to try an installation out. */
  readonly 'billing.sign-test': {
    readonly input: {
      readonly body: string
    }
    readonly answer: {
      readonly header: string
    }
  }
  /** List events of the payment provider, newest first. */
  readonly 'billing-events.list': {
    readonly input: {
      readonly state?: 'received' | 'applied' | 'ignored' | 'parked' | 'failed' | undefined
      readonly license?: string | undefined
      readonly limit?: number | undefined
    }
    readonly answer: {
      readonly events: readonly PaymentEvent[]
    }
  }
  /** Show one event of the payment provider, and its subject. */
  readonly 'billing-events.show': {
    readonly input: {
      readonly event: string
    }
    readonly answer: {
      readonly event: PaymentEvent
      readonly facts: {
        readonly subscription_id?: string
        readonly session_id?: string
        readonly invoice_id?: string
        readonly customer_id?: string
        readonly charge_id?: string
        readonly payment_id?: string
      }
    }
  }
  /** Apply a parked or failed event of the payment provider again, at once. */
  readonly 'billing-events.retry': {
    readonly input: {
      readonly event: string
    }
    readonly answer: {
      readonly event: PaymentEvent
    }
  }
  /** Set a parked or failed event of the payment provider aside. */
  readonly 'billing-events.resolve': {
    readonly input: {
      readonly event: string
    }
    readonly answer: {
      readonly event: PaymentEvent
    }
  }
  /** Deploy an app when its repository is pushed to; the same again changes nothing. */
  readonly 'git-hooks.add': {
    readonly input: {
      readonly license?: string | undefined
      readonly app: string
      readonly repo_url: string
      readonly fingerprint?: string | undefined
      readonly host?: string | undefined
      readonly provider?: GitProvider | undefined
      readonly branch?: string | undefined
      readonly tags?: string | undefined
      readonly paths?: readonly string[] | undefined
      readonly paths_ignore?: readonly string[] | undefined
      readonly enabled?: boolean | undefined
      readonly cancel_in_progress?: boolean | undefined
      readonly allow_skip?: boolean | undefined
      readonly submodules?: 'none' | 'owner' | 'server' | undefined
      readonly secret?: string | undefined
      readonly clone?: {
        readonly kind: CloneKind
        readonly token?: string | undefined
      } | undefined
    }
    readonly answer: {
      readonly ok: boolean
      readonly created: boolean
      readonly hook: GitHook
      readonly secret?: string
      readonly webhook_url: string
      readonly deploy_key?: string
      readonly setup: GitHookSetup
    }
  }
  /** Change a git hook; fields that are not named stay. */
  readonly 'git-hooks.update': {
    readonly input: {
      readonly license?: string | undefined
      readonly id: string
      readonly repo_url?: string | undefined
      readonly fingerprint?: string | undefined
      readonly host?: string | undefined
      readonly provider?: GitProvider | undefined
      readonly branch?: string | undefined
      readonly tags?: string | undefined
      readonly paths?: readonly string[] | undefined
      readonly paths_ignore?: readonly string[] | undefined
      readonly enabled?: boolean | undefined
      readonly cancel_in_progress?: boolean | undefined
      readonly allow_skip?: boolean | undefined
      readonly submodules?: 'none' | 'owner' | 'server' | undefined
      readonly secret?: string | undefined
      readonly clone?: {
        readonly kind: CloneKind
        readonly token?: string | undefined
      } | undefined
    }
    readonly answer: {
      readonly ok: boolean
      readonly created: boolean
      readonly hook: GitHook
      readonly secret?: string
      readonly webhook_url: string
      readonly deploy_key?: string
      readonly setup: GitHookSetup
    }
  }
  /** Give a git hook another secret; the one before is taken for a day longer. */
  readonly 'git-hooks.rotate': {
    readonly input: {
      readonly license?: string | undefined
      readonly id: string
    }
    readonly answer: {
      readonly ok: boolean
      readonly created: boolean
      readonly hook: GitHook
      readonly secret?: string
      readonly webhook_url: string
      readonly deploy_key?: string
      readonly setup: GitHookSetup
    }
  }
  /** Remove a git hook with its secrets and deliveries; its jobs stay. */
  readonly 'git-hooks.remove': {
    readonly input: {
      readonly license?: string | undefined
      readonly id: string
    }
    readonly answer: {
      readonly ok: boolean
      readonly id: string
    }
  }
  /** List git hooks. */
  readonly 'git-hooks.list': {
    readonly input: {
      readonly license?: string | undefined
    }
    readonly answer: {
      readonly ok: boolean
      readonly hooks: readonly GitHook[]
    }
  }
  /** Show a git hook and where its address and key are entered. */
  readonly 'git-hooks.show': {
    readonly input: {
      readonly id: string
      readonly license?: string | undefined
    }
    readonly answer: {
      readonly ok: boolean
      readonly hook: GitHook
      readonly webhook_url?: string
      readonly setup: GitHookSetup
    }
  }
  /** List the deliveries of git hosts to a hook, newest first, with their outcomes. */
  readonly 'git.deliveries': {
    readonly input: {
      readonly id: string
      readonly license?: string | undefined
      readonly limit?: number | undefined
      readonly cursor?: string | undefined
    }
    readonly answer: {
      readonly hook: GitHook
      readonly deliveries: readonly GitDelivery[]
      readonly next_cursor?: string
    }
  }
  /** Send a signed delivery to a git hook by its own address, which deploys a commit. */
  readonly 'git.test': {
    readonly input: {
      readonly id: string
      readonly license?: string | undefined
      readonly sha: string
      readonly ref?: string | undefined
    }
    readonly answer: {
      readonly hook_id: string
      readonly delivered: boolean
      readonly http_status?: number
      readonly answer?: string
      readonly advice?: string
      readonly error?: string
    }
  }
  /** Make an app; a git hook or a first deploy makes it too. */
  readonly 'apps.create': {
    readonly input: {
      readonly name: string
      readonly license: string
      readonly host?: string | undefined
      readonly hosts?: readonly string[] | undefined
      readonly repo_url?: string | undefined
    }
    readonly answer: {
      readonly app: App
    }
  }
  /** List the apps. */
  readonly 'apps.list': {
    readonly input: {
      readonly license?: string | undefined
    }
    readonly answer: {
      readonly apps: readonly App[]
    }
  }
  /** Show an app: its hosts, source, variables and last deployment. */
  readonly 'apps.show': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
    }
    readonly answer: {
      readonly app: App
    }
  }
  /** Change the hosts or the repository of an app; an empty value leaves it to the git hook. */
  readonly 'apps.set': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly host?: string | undefined
      readonly hosts?: readonly string[] | undefined
      readonly repo_url?: string | undefined
    }
    readonly answer: {
      readonly app: App
    }
  }
  /** Forget an app with its variables and domains; what runs on its host stays, unless its data goes too. */
  readonly 'apps.remove': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly data?: boolean | undefined
    }
    readonly answer: {
      readonly id: string
      readonly app: string
      readonly job_id?: string
      readonly databases?: readonly string[]
    }
  }
  /** Deploy a commit of an app, or its last one again. */
  readonly 'apps.deploy': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly sha?: string | undefined
      readonly ref?: string | undefined
      readonly force?: boolean | undefined
      readonly uploaded?: boolean | undefined
    }
    readonly answer: AppJob
  }
  /** Deploy the last good commit before the live one, or a named earlier one. */
  readonly 'apps.rollback': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly to?: string | undefined
      readonly with_env?: boolean | undefined
    }
    readonly answer: AppJob
  }
  /** End the processes of an app; its files stay, and start brings them back. */
  readonly 'apps.stop': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly host?: string | undefined
    }
    readonly answer: AppJob
  }
  /** Start the live release of a stopped app; one that runs is left alone. */
  readonly 'apps.start': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly host?: string | undefined
    }
    readonly answer: AppJob
  }
  /** Replace the processes of an app by new ones of its live release. */
  readonly 'apps.restart': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly host?: string | undefined
    }
    readonly answer: AppJob
  }
  /** Change how many instances of its processes an app has; later deploys keep it. */
  readonly 'apps.scale': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly host?: string | undefined
      readonly processes: readonly {
        readonly process: string
        readonly count: number
      }[]
    }
    readonly answer: AppJob
  }
  /** Turn visitors of an app away with 503 while its processes run, or let them in again. */
  readonly 'apps.maintenance': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly host?: string | undefined
      readonly on: boolean
    }
    readonly answer: AppJob
  }
  /** List the deployments of an app, newest first. */
  readonly 'apps.releases': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly limit?: number | undefined
    }
    readonly answer: {
      readonly id: string
      readonly app: string
      readonly releases: readonly Release[]
    }
  }
  /** List the variables of an app; values of secrets are not shown. */
  readonly 'apps.env-list': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
    }
    readonly answer: {
      readonly id: string
      readonly app: string
      readonly revision: number
      readonly variables: readonly Variable[]
    }
  }
  /** Set variables of an app, as secrets unless they are plain; the next deploy has them. */
  readonly 'apps.env-set': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly variables: readonly {
        readonly name: string
        readonly value: string
      }[]
      readonly plain?: boolean | undefined
    }
    readonly answer: {
      readonly id: string
      readonly app: string
      readonly revision: number
      readonly names: readonly string[]
    }
  }
  /** Remove variables of an app; the next deploy is without them. */
  readonly 'apps.env-unset': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly names: readonly string[]
    }
    readonly answer: {
      readonly id: string
      readonly app: string
      readonly removed: readonly string[]
    }
  }
  /** Lead a domain to an app, or change how it leads there. */
  readonly 'apps.domains-add': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly domain: string
      readonly tls?: 'auto' | 'internal' | 'off' | 'certificate' | undefined
      readonly process?: string | undefined
      readonly paths?: readonly {
        readonly path: string
        readonly process: string
      }[] | undefined
      readonly redirect_to?: string | undefined
      readonly allow?: readonly string[] | undefined
      readonly user?: string | undefined
      readonly password?: string | undefined
      readonly hsts?: boolean | undefined
      readonly max_body?: string | undefined
      readonly force?: boolean | undefined
    }
    readonly answer: AppDomainJob
  }
  /** Take a domain away from an app. */
  readonly 'apps.domains-remove': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly domain: string
    }
    readonly answer: AppDomainJob
  }
  /** List the domains of an app, with the state of each. */
  readonly 'apps.domains-list': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
    }
    readonly answer: {
      readonly id: string
      readonly app: string
      readonly domains: readonly AppDomain[]
    }
  }
  /** List the registries that an app has a login for. */
  readonly 'apps.registry-list': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
    }
    readonly answer: {
      readonly id: string
      readonly app: string
      readonly registries: readonly {
        readonly registry: string
        readonly updated_at: number
      }[]
    }
  }
  /** Keep the user and password of a registry, sealed, for the images of an app. */
  readonly 'apps.registry-login': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly registry: string
      readonly user: string
      readonly password: string
    }
    readonly answer: {
      readonly id: string
      readonly app: string
      readonly registry: string
    }
  }
  /** Forget the user and password of a registry. */
  readonly 'apps.registry-logout': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly registry: string
    }
    readonly answer: {
      readonly id: string
      readonly app: string
      readonly removed: readonly string[]
    }
  }
  /** List the commands of an app that run at times of the clock, with their last runs. */
  readonly 'apps.cron-list': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
    }
    readonly answer: {
      readonly id: string
      readonly app: string
      readonly crons: readonly AppCron[]
    }
  }
  /** Make a database on the host of an app, and give the app its address. */
  readonly 'apps.databases-create': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly name: string
      readonly engine?: 'postgres' | 'mariadb' | 'valkey' | undefined
      readonly as?: string | undefined
    }
    readonly answer: AppDatabaseJob
  }
  /** List the databases of an app's license, with the apps and the state of each. */
  readonly 'apps.databases-list': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
    }
    readonly answer: {
      readonly id: string
      readonly app: string
      readonly databases: readonly AppDatabase[]
    }
  }
  /** Give an app the address of a database of its host. */
  readonly 'apps.databases-link': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly name: string
      readonly as?: string | undefined
    }
    readonly answer: AppDatabaseJob
  }
  /** Take the address of a database away from an app; the data stays. */
  readonly 'apps.databases-unlink': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly name: string
    }
    readonly answer: AppDatabaseJob
  }
  /** Make a new password for a database, and restart the apps that have it. */
  readonly 'apps.databases-rotate': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly name: string
    }
    readonly answer: AppDatabaseJob
  }
  /** Write a dump of a database on its host, which is kept for 7 days. */
  readonly 'apps.databases-backup': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly name: string
    }
    readonly answer: AppDatabaseJob
  }
  /** Bring back a dump of a database, the newest backup when none is named. */
  readonly 'apps.databases-restore': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly name: string
      readonly dump?: string | undefined
    }
    readonly answer: AppDatabaseJob
  }
  /** Put back the database from before a restore; again takes that back. */
  readonly 'apps.databases-undo': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly name: string
    }
    readonly answer: AppDatabaseJob
  }
  /** Remove a database that no app is linked to; a dump is kept for 7 days. */
  readonly 'apps.databases-drop': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly name: string
      readonly confirm: string
    }
    readonly answer: AppDatabaseJob
  }
  /** Move an app to another host, step by step; again goes on, until nothing is left to do. */
  readonly 'apps.move': {
    readonly input: {
      readonly app: string
      readonly license?: string | undefined
      readonly to?: string | undefined
      readonly data?: boolean | undefined
      readonly dry_run?: boolean | undefined
      readonly undo?: boolean | undefined
      readonly finish?: boolean | undefined
    }
    readonly answer: {
      readonly id: string
      readonly app: string
      readonly from: string
      readonly to: string
      readonly state: 'planned' | 'under_way' | 'moved' | 'undone' | 'finished'
      readonly steps: readonly ({
        readonly step: 'stop' | 'backup' | 'deploy' | 'restore' | 'expose' | 'switch' | 'unexpose' | 'remove'
        readonly host: string
        readonly domain?: string
        readonly state: 'done' | 'now' | 'next'
        readonly job_id?: string
      })[]
      readonly upload?: string
      readonly job?: Job
      readonly warning?: string
    }
  }
  /** Show the firewall and hardening of a host, and whether they were applied. */
  readonly 'security.show': {
    readonly input: {
      readonly host: string
      readonly license?: string | undefined
    }
    readonly answer: {
      readonly fingerprint: string
      readonly desired: SecurityRevision
      readonly applied: {
        readonly revision: number
        readonly state: 'none' | 'applied' | 'failed' | 'rolled_back'
        readonly at?: number
        readonly error?: string
      }
      readonly job?: {
        readonly id: string
        readonly state: JobState
      }
      readonly drift: boolean
    }
  }
  /** Show the firewall rules that settings would become; nothing is changed. */
  readonly 'security.dry-run': {
    readonly input: {
      readonly host: string
      readonly license?: string | undefined
      readonly settings: SecuritySettings
      readonly force?: boolean | undefined
    }
    readonly answer: {
      readonly ok: boolean
      readonly changed: boolean
      readonly revision: number
      readonly dry_run: boolean
      readonly rendered: string
      readonly warnings: readonly string[]
    }
  }
  /** Give a host a firewall and hardening, in place of those it had. */
  readonly 'security.set': {
    readonly input: {
      readonly host: string
      readonly license?: string | undefined
      readonly settings: SecuritySettings
      readonly if_revision?: number | undefined
      readonly force?: boolean | undefined
      readonly rollback_s?: number | undefined
    }
    readonly answer: {
      readonly ok: boolean
      readonly changed: boolean
      readonly revision: number
      readonly job_id?: string
      readonly warnings: readonly string[]
    }
  }
  /** Send the newest settings to their host once more. */
  readonly 'security.reapply': {
    readonly input: {
      readonly host: string
      readonly license?: string | undefined
      readonly if_revision?: number | undefined
      readonly force?: boolean | undefined
      readonly rollback_s?: number | undefined
    }
    readonly answer: {
      readonly ok: boolean
      readonly changed: boolean
      readonly revision: number
      readonly job_id?: string
      readonly warnings: readonly string[]
    }
  }
  /** List the settings that a host was given, newest first. */
  readonly 'security.history': {
    readonly input: {
      readonly host: string
      readonly license?: string | undefined
      readonly limit?: number | undefined
    }
    readonly answer: {
      readonly fingerprint: string
      readonly revisions: readonly SecurityRevision[]
    }
  }
  /** Give a host the settings of an earlier revision again, as a new one. */
  readonly 'security.rollback': {
    readonly input: {
      readonly host: string
      readonly license?: string | undefined
      readonly to: number
      readonly if_revision?: number | undefined
      readonly force?: boolean | undefined
      readonly rollback_s?: number | undefined
    }
    readonly answer: {
      readonly ok: boolean
      readonly changed: boolean
      readonly revision: number
      readonly job_id?: string
      readonly warnings: readonly string[]
    }
  }
  /** List the closed gates that keep servers from being ordered; asks no provider. */
  readonly 'provision.check': {
    readonly input: Readonly<Record<string, never>>
    readonly answer: {
      readonly missing: readonly OrderGate[]
      readonly template_faults: readonly string[]
    }
  }
  /** Take the next step of orders that are due, as the worker does. */
  readonly 'provision.step': {
    readonly input: {
      readonly order?: string | undefined
      readonly limit?: number | undefined
    }
    readonly answer: {
      readonly ok: boolean
      readonly advanced?: number
      readonly results?: readonly ServerOrderStep[]
      readonly remaining?: number
      readonly error?: string
      readonly missing?: readonly OrderGate[]
    }
  }
  /** Show the spending ceiling, and the amount that orders have reserved. */
  readonly 'provision.budget': {
    readonly input: Readonly<Record<string, never>>
    readonly answer: {
      readonly ceiling?: string
      readonly left?: string
      readonly reserved: readonly {
        readonly amount: string
        readonly orders: number
      }[]
    }
  }
  /** Compare the servers of a provider with the orders; changes nothing. */
  readonly 'provision.reconcile': {
    readonly input: {
      readonly provider?: HostingProvider | undefined
    }
    readonly answer: {
      readonly provider: HostingProvider
      readonly plane_id: string
      readonly orphans: readonly ProviderServer[]
      readonly missing: readonly ServerOrder[]
      readonly over_price: readonly {
        readonly order_id: string
        readonly price: string
        readonly reserves?: string
      }[]
    }
  }
  /** Delete a server of this control plane that no order knows. */
  readonly 'provision.remove-server': {
    readonly input: {
      readonly provider?: HostingProvider | undefined
      readonly server: string
    }
    readonly answer: {
      readonly server: ProviderServer
    }
  }
  /** List the catalogue: the providers' offers for each plan. */
  readonly 'provision-catalog.list': {
    readonly input: Readonly<Record<string, never>>
    readonly answer: {
      readonly catalog: readonly CatalogEntry[]
    }
  }
  /** Set a provider's offer for a plan, and its highest price. */
  readonly 'provision-catalog.set': {
    readonly input: {
      readonly plan: string
      readonly provider: HostingProvider
      readonly server_type: string
      readonly locations: readonly string[]
      readonly image: string
      readonly ssh_keys: readonly string[]
      readonly max_monthly: string
      readonly enabled?: boolean | undefined
    }
    readonly answer: {
      readonly entry: CatalogEntry
    }
  }
  /** Remove a plan from the catalogue; its servers stay. */
  readonly 'provision-catalog.remove': {
    readonly input: {
      readonly plan: string
      readonly provider: HostingProvider
    }
    readonly answer: {
      readonly removed: boolean
    }
  }
  /** Show the known state of the providers' tokens, but no token. */
  readonly 'provision-credentials.show': {
    readonly input: Readonly<Record<string, never>>
    readonly answer: {
      readonly credentials: readonly ProviderCredential[]
    }
  }
  /** Store the token of a provider, sealed. */
  readonly 'provision-credentials.set': {
    readonly input: {
      readonly provider: HostingProvider
      readonly secret: string
    }
    readonly answer: {
      readonly credentials: readonly ProviderCredential[]
    }
  }
  /** Ask a provider whether its token may read and write. */
  readonly 'provision-credentials.verify': {
    readonly input: {
      readonly provider: HostingProvider
    }
    readonly answer: {
      readonly credentials: readonly ProviderCredential[]
    }
  }
  /** Forget the stored token of a provider. */
  readonly 'provision-credentials.clear': {
    readonly input: {
      readonly provider: HostingProvider
    }
    readonly answer: {
      readonly credentials: readonly ProviderCredential[]
    }
  }
  /** Show the user data of a made-up order, without a license key. */
  readonly 'provision-template.render': {
    readonly input: Readonly<Record<string, never>>
    readonly answer: {
      readonly template: string
    }
  }
  /** Order a server for a license; with dry_run only show its cost. */
  readonly 'provision-orders.create': {
    readonly input: {
      readonly plan: string
      readonly provider?: HostingProvider | undefined
      readonly license_key: string
      readonly hostname?: string | undefined
      readonly dry_run?: boolean | undefined
    }
    readonly answer: {
      readonly order?: ServerOrder
      readonly dry_run?: boolean
      readonly locations?: readonly string[]
      readonly price?: string
      readonly max_monthly?: string
      readonly reserves?: string
      readonly left?: string
    }
  }
  /** List orders for servers, newest first. */
  readonly 'provision-orders.list': {
    readonly input: {
      readonly license?: string | undefined
      readonly limit?: number | undefined
    }
    readonly answer: {
      readonly orders: readonly ServerOrder[]
    }
  }
  /** Show an order and its history. */
  readonly 'provision-orders.show': {
    readonly input: {
      readonly order: string
    }
    readonly answer: {
      readonly order: ServerOrder
      readonly events: readonly ServerOrderEvent[]
    }
  }
  /** Take an order back; a server that was asked for is taken away. */
  readonly 'provision-orders.cancel': {
    readonly input: {
      readonly order: string
    }
    readonly answer: {
      readonly order: ServerOrder
    }
  }
  /** Take the server of an order away, with all that is on it. */
  readonly 'provision-orders.destroy': {
    readonly input: {
      readonly order: string
    }
    readonly answer: {
      readonly order: ServerOrder
    }
  }
  /** Make the next step of an order due now. */
  readonly 'provision-orders.retry': {
    readonly input: {
      readonly order: string
    }
    readonly answer: {
      readonly order: ServerOrder
    }
  }
  /** List conversations, newest first; those that wait, longest first. */
  readonly 'chat.list': {
    readonly input: {
      readonly waiting?: boolean | undefined
      readonly limit?: number | undefined
    }
    readonly answer: {
      readonly conversations: readonly Conversation[]
    }
  }
  /** Show a conversation with its last messages. */
  readonly 'chat.show': {
    readonly input: {
      readonly conversation: string
      readonly limit?: number | undefined
      readonly cursor?: string | undefined
    }
    readonly answer: {
      readonly conversation: Conversation
      readonly messages: readonly ChatMessage[]
      readonly next_cursor?: string
    }
  }
  /** Take a conversation over: the service falls silent in it. */
  readonly 'chat.take': {
    readonly input: {
      readonly conversation: string
    }
    readonly answer: {
      readonly conversation: Conversation
    }
  }
  /** Give a conversation back to the service. */
  readonly 'chat.release': {
    readonly input: {
      readonly conversation: string
    }
    readonly answer: {
      readonly conversation: Conversation
    }
  }
  /** End a conversation; the visitor's next message begins another. */
  readonly 'chat.close': {
    readonly input: {
      readonly conversation: string
    }
    readonly answer: {
      readonly conversation: Conversation
    }
  }
  /** Write to a visitor, taking the conversation over. */
  readonly 'chat.reply': {
    readonly input: {
      readonly conversation: string
      readonly text: string
    }
    readonly answer: {
      readonly conversation: Conversation
      readonly message: string
    }
  }
  /** Show the documents' passages on a question, and the answer without a model. */
  readonly 'chat.ask': {
    readonly input: {
      readonly question: string
    }
    readonly answer: {
      readonly documents: number
      readonly grounded: boolean
      readonly coverage: number
      readonly terms: readonly string[]
      readonly hits: readonly {
        readonly score: number
        readonly page: string
        readonly heading: string
        readonly url: string
        readonly excerpt: string
      }[]
      readonly answer: string
    }
  }
  /** Issue a token that drives the browser worker and opens nothing else; it is shown once. */
  readonly 'browser-tokens.issue': {
    readonly input: {
      readonly license?: string | undefined
      readonly label?: string | undefined
      readonly daily?: number | undefined
    }
    readonly answer: {
      readonly token: BrowserToken
      readonly secret: string
    }
  }
  /** List the tokens of the browser worker, without their secrets. */
  readonly 'browser-tokens.list': {
    readonly input: Readonly<Record<string, never>>
    readonly answer: {
      readonly tokens: readonly BrowserToken[]
    }
  }
  /** End a token of the browser worker for good, from its next request on. */
  readonly 'browser-tokens.revoke': {
    readonly input: {
      readonly token: string
    }
    readonly answer: {
      readonly token: BrowserToken
    }
  }
  /** List the work of the browser worker, newest first: hosts and figures, never pages. */
  readonly 'browser.runs': {
    readonly input: {
      readonly limit?: number | undefined
    }
    readonly answer: {
      readonly runs: readonly BrowserRun[]
    }
  }
  /** Open a page in the browser worker and bring it as text. */
  readonly 'browser.scrape': {
    readonly input: {
      readonly url: string
      readonly formats?: readonly ('markdown' | 'text' | 'html' | 'links' | 'metadata' | 'screenshot')[] | undefined
      readonly only_main?: boolean | undefined
      readonly wait_until?: 'load' | 'domcontentloaded' | 'networkidle' | undefined
      readonly wait_for?: string | undefined
      readonly wait_ms?: number | undefined
      readonly timeout_ms?: number | undefined
      readonly viewport?: {
        readonly width?: number | undefined
        readonly height?: number | undefined
      } | undefined
      readonly full_page?: boolean | undefined
      readonly block?: readonly ('image' | 'font' | 'media' | 'stylesheet')[] | undefined
      readonly locale?: string | undefined
      readonly user_agent?: string | undefined
      readonly max_chars?: number | undefined
    }
    readonly answer: {
      readonly ok: boolean
      readonly request_id: string
      readonly url: string
      readonly final_url: string
      readonly status: number
      readonly title: string
      readonly markdown?: string
      readonly text?: string
      readonly html?: string
      readonly metadata?: {
        readonly description?: string
        readonly lang?: string
        readonly canonical?: string
        readonly og: Readonly<Record<string, string>>
      }
      readonly links?: readonly {
        readonly href: string
        readonly text: string
      }[]
      readonly screenshot?: Screenshot
      readonly truncated: boolean
      readonly blocked: readonly {
        readonly url: string
        readonly reason: PageRefusal
      }[]
      readonly timing: {
        readonly total_ms: number
        readonly navigation_ms: number
      }
    }
  }
  /** Let the agent of the browser worker reach a goal on a page. */
  readonly 'browser.run': {
    readonly input: {
      readonly goal?: string | undefined
      readonly url?: string | undefined
      readonly max_steps?: number | undefined
      readonly timeout_ms?: number | undefined
      readonly allowed_domains?: readonly string[] | undefined
      readonly result_schema?: Readonly<Record<string, unknown>> | undefined
      readonly allow_risky?: boolean | undefined
    }
    readonly answer: {
      readonly ok: boolean
      readonly request_id: string
      readonly status: 'completed' | 'failed' | 'max_steps' | 'stuck' | 'timeout' | 'blocked' | 'needs_confirmation'
      readonly answer?: string
      readonly reason?: string
      readonly result?: unknown
      readonly steps?: readonly BrowserStep[]
      readonly final_url?: string
      readonly usage?: {
        readonly llm_calls: number
        readonly input_tokens: number
        readonly output_tokens: number
      }
      readonly snapshot?: string
      readonly snapshot_hash?: string
      readonly truncated?: boolean
      readonly url?: string
      readonly title?: string
      readonly screenshot?: Screenshot
      readonly blocked?: readonly {
        readonly url: string
        readonly reason: PageRefusal
      }[]
      readonly session_id?: string
    }
  }
  /** List the actions of operators, newest first. */
  readonly 'audit.list': {
    readonly input: {
      readonly limit?: number | undefined
      readonly who?: string | undefined
      readonly operation?: string | undefined
      readonly since?: number | undefined
      readonly cursor?: string | undefined
    }
    readonly answer: {
      readonly audit: readonly AuditEntry[]
      readonly next_cursor?: string
    }
  }
  /** Count the secrets at rest by the key that seals them. */
  readonly 'secrets.status': {
    readonly input: Readonly<Record<string, never>>
    readonly answer: {
      readonly secrets: readonly {
        readonly column: string
        readonly current: number
        readonly older: number
        readonly unreadable: number
        readonly plain: number
      }[]
    }
  }
  /** Seal all secrets at rest under the first key of SERVICE_DATA_KEYS. */
  readonly 'secrets.rotate': {
    readonly input: {
      readonly from?: string | undefined
    }
    readonly answer: {
      readonly rotated: number
      readonly unreadable: number
      readonly next?: string
    }
  }
  /** Check everything that the service depends on. */
  readonly 'health.check': {
    readonly input: Readonly<Record<string, never>>
    readonly answer: {
      readonly ok: boolean
      readonly checked_at: number
      readonly duration_ms: number
      readonly version: string
      readonly checks: readonly SystemCheck[]
    }
  }
  /** Count hosts, jobs, alerts, apps and late backups, and show what the last system check found. */
  readonly 'overview.show': {
    readonly input: Readonly<Record<string, never>>
    readonly answer: {
      readonly hosts: {
        readonly up: number
        readonly silent: number
        readonly draining: number
      }
      readonly jobs: {
        readonly running: number
        readonly waiting: number
        readonly oldest_seconds: number
        readonly failed: number
      }
      readonly alerts: {
        readonly critical: number
        readonly warning: number
      }
      readonly apps: {
        readonly troubled: number
      }
      readonly backups: {
        readonly late: number
        readonly late_drills: number
      }
      readonly system?: {
        readonly ok: boolean
        readonly checked_at: number
        readonly findings: readonly SystemCheck[]
      }
    }
  }
}

/** The name of an operation. */
export type OperationName = keyof OperationTypes
/** The input of an operation; of a name that is known only at run time, anything. */
export type OperationInput<Name extends string> = Name extends OperationName
  ? OperationTypes[Name]['input']
  : unknown
/** The answer of an operation; of a name that is known only at run time, a JSON document. */
export type OperationAnswer<Name extends string> = Name extends OperationName
  ? OperationTypes[Name]['answer']
  : Readonly<Record<string, unknown>>
