import { alertSettings } from './alert-settings.ts'
import { DATABASE_TLS } from './database-tls.ts'
import { licenseKeys } from './license-keys.ts'
import { production } from './production.ts'
import { secondFactorDemand } from './second-factor-demand.ts'
import { sessionSecrets } from './session-secrets.ts'
import {
  choice,
  isAddressRange,
  isResolverAddress,
  isSite,
  list,
  originOf,
  type Setting,
  text,
  url,
  wholeNumber,
} from './setting.ts'
import { sharedSecret } from './shared-secret.ts'

/** The settings of a feature. A bad value closes an optional group; elsewhere it stops the start. */
export interface SettingGroup<
  O extends boolean = boolean,
  S extends Readonly<Record<string, Setting<unknown>>> = Readonly<Record<string, Setting<unknown>>>,
> {
  readonly title: string
  readonly optional: O
  readonly settings: S
}

type Settings = Readonly<Record<string, Setting<unknown>>>

const required = <S extends Settings>(title: string, settings: S): SettingGroup<false, S> => ({
  title,
  optional: false,
  settings,
})

const optional = <S extends Settings>(title: string, settings: S): SettingGroup<true, S> => ({
  title,
  optional: true,
  settings,
})

/** pino's levels, from the most to the least detailed. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** Places in which rate windows are counted. */
export const RATE_LIMIT_BACKENDS = ['memory', 'postgres'] as const

/**
 * Every setting of the service, by feature. `Config`, its reader, the reference and the report derive from
 * it.
 */
export const settings = {
  service: required('Service', {
    production,
    publicUrl: url('SERVICE_PUBLIC_URL', 'The address under which people reach the service.', [
      'https',
      'http',
    ]),
    dataDir: text(
      'SERVICE_DATA_DIR',
      'Folder of the embedded database when `DATABASE_URL` is unset; unset: in memory.',
    ),
    logLevel: choice('SERVICE_LOG_LEVEL', 'The least severe log lines that are written.', LOG_LEVELS, 'info'),
    drainDelaySeconds: wholeNumber(
      'SERVICE_DRAIN_DELAY_SECONDS',
      'How long healthz answers 503 before the service stops accepting: 5 suits a load balancer.',
      { fallback: 0, min: 0, max: 300 },
    ),
  }),
  http: required('HTTP', {
    host: text('SERVICE_HOST', 'The address to listen on.', { fallback: '127.0.0.1' }),
    port: wholeNumber('PORT', 'The port to listen on; 0 takes any free one.', {
      fallback: 8080,
      min: 0,
      max: 65_535,
    }),
    trustedProxyHops: wholeNumber(
      'SERVICE_TRUSTED_PROXY_HOPS',
      'Proxies in front: the client is this entry of `x-forwarded-for`, counted from the right; 0 ignores the header.',
      { fallback: 1, min: 0, max: 16 },
    ),
    maxConnections: wholeNumber(
      'SERVICE_MAX_CONNECTIONS',
      'Open connections at most; unset: what the limit of open files leaves.',
      {
        min: 1,
        max: 1_000_000,
      },
    ),
  }),
  database: required('Database', {
    url: url('DATABASE_URL', 'PostgreSQL; unset: the embedded database.', ['postgres', 'postgresql'], {
      secret: true,
    }),
    password: text(
      'DATABASE_PASSWORD',
      'Password of the database, instead of one in `DATABASE_URL`. From a file it is read for each new connection.',
      { secret: true },
    ),
    tls: choice(
      'SERVICE_DATABASE_TLS',
      'With `require` a database on another machine needs `sslmode=verify-full`; else that is a warning in production.',
      DATABASE_TLS,
      'warn',
    ),
    pool: wholeNumber('SERVICE_DATABASE_POOL', 'Database connections at most.', {
      fallback: 10,
      min: 1,
      max: 1000,
    }),
  }),
  licensing: required('Licensing', {
    keys: licenseKeys,
    ttlDays: wholeNumber('SERVICE_LICENSE_TTL_DAYS', 'Lifetime of activation tokens in days.', {
      fallback: 7,
      min: 1,
      max: 3650,
    }),
  }),
  signing: required('Signing', {
    privateKey: text(
      'SERVICE_LICENSE_PRIVKEY',
      'Ed25519 key that signs tokens: a seed, a secret key of NaCl, or PKCS#8; from `svc mint-key`.',
      {
        secret: true,
      },
    ),
    retiredPublicKeys: list(
      'SERVICE_LICENSE_PUBKEYS_RETIRED',
      'Former public keys, still published so that tokens from before a rotation verify.',
      { of: 'public keys', accepts: (entry) => !entry.includes('PRIVATE KEY') },
    ),
  }),
  hosts: required('Hosts', {
    perLicense: wholeNumber(
      'SERVICE_HOSTS_PER_LICENSE',
      'Hosts of a license at most; further ones are refused, those known stay.',
      { fallback: 1000, min: 1, max: 100_000 },
    ),
  }),
  jobs: required('Jobs', {
    leaseSeconds: wholeNumber(
      'SERVICE_JOB_LEASE_SECONDS',
      'How long a silent host keeps a job, in seconds.',
      {
        fallback: 300,
        min: 1,
        max: 86_400,
      },
    ),
  }),
  scheduler: required('Scheduler', {
    tickSeconds: wholeNumber(
      'SERVICE_TICK_SECONDS',
      'Seconds between ticks of this process; 0: an outside cron calls `POST /api/v1/monitors/run`.',
      { fallback: 0, min: 0, max: 3600 },
    ),
  }),
  limits: required('Rate limits', {
    backend: choice(
      'SERVICE_RATE_LIMIT_BACKEND',
      'Where rate windows are counted: `postgres` shares them between replicas.',
      RATE_LIMIT_BACKENDS,
      'memory',
    ),
  }),
  outbound: required('Outgoing calls', {
    allow: list(
      'SERVICE_OUTBOUND_ALLOW',
      'Address ranges that webhooks may reach although they are not public; then also without TLS.',
      { of: 'address ranges such as 10.1.0.0/16', accepts: isAddressRange },
    ),
    refuse: list('SERVICE_OUTBOUND_REFUSE', 'Address ranges that no webhook may reach.', {
      of: 'address ranges such as 203.0.113.0/24',
      accepts: isAddressRange,
    }),
  }),
  alerts: required('Alerts', alertSettings),
  metrics: optional('Metrics', {
    token: sharedSecret('SERVICE_METRICS_TOKEN', 'Bearer token that `/metrics` asks for; unset: open.'),
  }),
  health: optional('System check', {
    token: sharedSecret('SERVICE_HEALTH_TOKEN', 'Bearer token of the system check; unset: sessions only.'),
  }),
  sessions: optional('Sessions', { secrets: sessionSecrets }),
  secondFactors: required('Second factors', { demandedOf: secondFactorDemand }),
  monitors: optional('Monitors', {
    cronSecret: sharedSecret(
      'MONITORS_CRON_SECRET',
      'Secret of the monitor run; unset: every run is refused.',
    ),
    dnsServers: list('MONITOR_DNS_SERVERS', "Resolvers that monitors ask; unset: the system's.", {
      of: 'IP addresses, each with or without a port',
      accepts: isResolverAddress,
    }),
  }),
  chat: optional('Support chat', {
    perIpPerMinute: wholeNumber('CHAT_RATE_LIMIT', 'Chat messages a minute and client address.', {
      fallback: 15,
      min: 1,
      max: 100_000,
    }),
    globalPerMinute: wholeNumber('CHAT_GLOBAL_RATE_LIMIT', 'Chat messages a minute over all addresses.', {
      fallback: 200,
      min: 1,
      max: 1_000_000,
    }),
    retentionDays: wholeNumber('CHAT_RETENTION_DAYS', 'Days after which conversations are removed.', {
      fallback: 90,
      min: 1,
      max: 3650,
    }),
    allowedOrigins: list(
      'CHAT_ALLOWED_ORIGINS',
      'Sites that may embed the chat; unset: those of `SERVICE_PUBLIC_URL`, or without it the host that is asked.',
      {
        of: 'origins such as https://example.com',
        accepts: isSite,
        keepAs: originOf,
      },
    ),
    contentDir: text(
      'CHAT_CONTENT_DIR',
      'Folder of Markdown, beside the docs, that answers are grounded on.',
    ),
    llmDailyLimit: wholeNumber(
      'CHAT_LLM_DAILY_LIMIT',
      'Answers of the language model a day; then canned ones.',
      {
        fallback: 2000,
        min: 0,
        max: 10_000_000,
      },
    ),
  }),
  llm: optional('Language model', {
    apiKey: text('LLM_API_KEY', 'Key of the language model; unset: canned answers from the docs.', {
      secret: true,
    }),
    baseUrl: url(
      'LLM_BASE_URL',
      'Base address of an OpenAI-compatible API; may be on this machine or in a private network.',
      ['https', 'http'],
    ),
    model: text('LLM_MODEL', 'Name of the model.'),
  }),
} as const satisfies Readonly<Record<string, SettingGroup>>
