import type { SystemCheckLine } from '@svc/core'
import type { SystemDetail } from '@svc/core/adapters'

/** The meaning of each detail and its remedy, in one line; `docs/reference/checks.md` says more. */
const ADVICE: Readonly<Record<SystemDetail, string>> = {
  timeout: 'no answer within 3 s',
  error: 'the look itself failed: the database, most likely',
  'bad-setting': 'closed by a bad value: the log of the start names the setting',
  'doubtful-setting': 'a setting is probably not meant as it stands: the log of the start says which',
  'not-configured': 'nothing to look at',
  unset: 'not set',
  unusable: 'set to something that cannot be used',
  short: 'shorter than 32 characters: it can be guessed',
  'new-at-each-start': 'not set, so a new one is made at each start: sessions end with the process',
  'retired-key-unusable': 'an entry of SERVICE_LICENSE_PUBKEYS_RETIRED is no public key',
  'development-rules': 'any license key is accepted: set NODE_ENV=production or SERVICE_LICENSE_KEYS',
  'no-license': 'no host can activate: svc licenses issue makes a key, or set SERVICE_LICENSE_KEYS',
  'one-replica':
    'the relay is in this process: with several replicas give each its own RELAY_URL, or run svc relay serve',
  unreachable: 'nobody answers there',
  'sessions-not-kept':
    'the pooler does not keep sessions: use session pooling, or set DATABASE_SESSION_URL (docs/deployment.md, poolers)',
  'limits-missing':
    'statements, locks or idle transactions have no limit, as behind PgBouncer: alter role … set statement_timeout … (docs/deployment.md, poolers)',
  'in-memory': 'everything ends with the process: set DATABASE_URL or --data-dir to keep it',
  embedded: 'inside the process: one clock',
  'tables-missing': 'tables were dropped: restore the database from a backup',
  pending: 'run svc migrate',
  drifted: 'not as this release knows it: run the release that migrated it',
  ahead: 'a newer release has migrated the database: run that one here too',
  'clock-differs': 'the clocks of this machine and of the database are apart: check NTP on both',
  'to-rotate': 'some stored secrets are not sealed under the first key: svc secrets rotate',
  'key-missing': 'stored secrets have a key that is not in SERVICE_DATA_KEYS: put it back',
  'old-transaction':
    'a transaction has been open for over an hour and tables grow: end it (pg_stat_activity tells whose)',
  'audit-can-change':
    'the role of the service may change the audit log, as after a restore: revoke update, delete on audit_log from it',
  'disk-nearly-full': 'free some room soon',
  'disk-full': 'writes are refused: free some room now',
  'never-ran':
    'no tick yet: svc serve ticks soon after its start; with --tick 0 a cron calls /api/v1/monitors/run',
  stalled: 'no tick for too long: is svc serve still running, or the cron with --tick 0?',
  'job-waits': 'a due job waits longer than 15 minutes: svc jobs list, then svc jobs why',
  'lease-expired': 'a host let its job go and nobody took it over: svc fleet servers shows who is offline',
  'logs-ahead':
    'logs of later months than there are: a clock of a replica is ahead, or the tick makes no months of logs',
  'log-rights':
    'the role of the service has rights on a part of the logs that it lacks on job_log_chunks: revoke them',
  'not-accepted': 'jobs from before there were rules of retention stay: svc retention show',
  'archive-missing': 'nothing is removed without the folder of the archive: svc retention show says why',
  'no-resolver': 'this machine has no resolver: see /etc/resolv.conf, or set MONITOR_DNS_SERVERS',
  'no-answer': 'no resolver answers: monitors, webhooks and the language model cannot work',
  'some-do-not-answer': 'a resolver does not answer: check MONITOR_DNS_SERVERS',
  refused: 'the key is not accepted',
  busy: 'it says to come back later',
  'unexpected-answer': 'something else answers there',
  'address-refused': 'such an address is never called',
  unresolved: 'the name has no address',
  'not-trusted': 'its certificate is not trusted',
  'no-documents': 'the chat has nothing to answer from: set CHAT_CONTENT_DIR',
  served: 'by a running control plane',
  'not-there-yet': 'made at the first start',
  'not-writable': 'cannot be written to by this user',
  'open-to-others':
    'other users of this machine can enter it: chmod 700 it, or start svc serve, which does so',
  'belongs-to-another': 'it belongs to another user: run svc as that user, or chown it',
  'in-use': 'something else listens there: stop it, or choose another with PORT',
  'not-allowed': 'this user, or this machine, may not listen there: check SERVICE_HOST and PORT',
  'too-old': 'too old for this release',
  'not-found': 'not installed, or not on the PATH',
}

/** Advice on a detail of one particular check, instead of the general advice. */
const OF_CHECK: Readonly<Record<string, string>> = {
  'database unreachable':
    'the database of DATABASE_URL does not answer: is it running, and is it allowed in?',
  'migrations unreachable': 'not known while the database does not answer',
  'clock unreachable': 'not known while the database does not answer',
  'signing-key unset': 'activation answers 503: svc mint-key makes a key for SERVICE_LICENSE_PRIVKEY',
  'signing-key unusable': 'activation answers 500: SERVICE_LICENSE_PRIVKEY takes a key of svc mint-key',
  'data-keys unset':
    'new webhooks and second factors are refused: svc secrets mint-key makes a key for SERVICE_DATA_KEYS',
  'session-secret unset': 'nobody can sign in: set SERVICE_SESSION_SECRET to 32 random characters or more',
  'language-model refused': 'LLM_API_KEY is not accepted: visitors get canned answers',
  'language-model unreachable': 'LLM_BASE_URL does not answer: visitors get canned answers',
  'language-model unexpected-answer': 'LLM_BASE_URL is no OpenAI-compatible API: visitors get canned answers',
  'language-model address-refused':
    'LLM_BASE_URL leads to an address that is never called (link-local, metadata), or holds a password: visitors get canned answers',
  'language-model unresolved': 'the host of LLM_BASE_URL has no address: visitors get canned answers',
  'language-model not-trusted':
    'the certificate behind LLM_BASE_URL is not trusted: visitors get canned answers',
  'settings bad-setting': 'the service would not start',
  'git not-found': 'the agent cannot fetch sources: install git where agents run',
  'node too-old': 'install a newer Node.js',
}

/** Returns the advice on a line of a report. A detail that is not known here is returned as it is. */
export function adviceOn({ name, detail }: SystemCheckLine): string {
  if (detail === undefined) return ''
  return OF_CHECK[`${name} ${detail}`] ?? ADVICE[detail] ?? detail
}
