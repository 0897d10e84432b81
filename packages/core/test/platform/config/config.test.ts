import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Config } from '../../../src/platform/config/config.ts'
import { ConfigError } from '../../../src/platform/config/config-error.ts'
import type { SettingGroup } from '../../../src/platform/config/setting-group.ts'
import { readConfig, settings } from '../../../src/wiring/settings.ts'

const all = Object.values<SettingGroup>(settings).flatMap((group) => Object.values(group.settings))

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

describe('no settings', () => {
  test('give the development defaults', () => {
    const config: Config = readConfig({})
    expect(config).toEqual({
      billing: {
        ...{ provider: 'stripe', acceptTestEvents: 'false', graceDays: 14, toleranceSeconds: 300 },
        ...{ secretKey: undefined, webhookSecrets: [], prices: {}, apiBase: undefined, returnOrigins: [] },
      },
      access: { agentKey: 'pin', maxWaiters: 2000, pendingSeconds: 60, tokenSeconds: 60 },
      provisioning: {
        ...{ workerSecret: undefined, live: 'false', spendCeiling: undefined, templateFile: undefined },
        ...{ hetznerToken: undefined, digitaloceanToken: undefined, destroyOnFailure: 'true' },
        ...{
          hetznerApiBase: 'https://api.hetzner.cloud',
          digitaloceanApiBase: 'https://api.digitalocean.com',
        },
        ...{ maxPerLicense: 3, createsPerHour: 5, credentialMaxAgeHours: 24 },
      },
      relay: {
        ...{ mode: 'off', urls: [], privateKey: undefined, verifyKeys: [], allowedOrigins: [] },
        ...{ pairSeconds: 30, idleSeconds: 900, maxSeconds: 28_800, maxSessions: 200, maxPerHost: 5 },
        ...{ maxPerLicense: undefined, drainSeconds: 30, recordDir: undefined },
      },
      service: {
        production: false,
        publicUrl: undefined,
        dataDir: undefined,
        logLevel: 'info',
        console: '1',
        drainDelaySeconds: 0,
      },
      http: {
        host: '127.0.0.1',
        port: 8080,
        trustedProxies: [],
        trustedProxyHops: 1,
        maxConnections: undefined,
      },
      database: { url: undefined, sessionUrl: undefined, password: undefined, tls: 'warn', pool: 10 },
      licensing: { keys: [], ttlDays: 7, tiers: {}, agentOnly: false },
      signing: { privateKey: undefined, retiredPublicKeys: [] },
      hosts: { perLicense: 1000 },
      jobs: { leaseSeconds: 300, perMinute: 1200, mostPending: 10_000 },
      scheduler: { tickSeconds: 60 },
      limits: { backend: 'memory' },
      metrics: { token: undefined },
      health: { token: undefined },
      sessions: { secrets: [] },
      secondFactors: { demandedOf: 'optional' },
      secrets: { dataKeys: [] },
      email: {
        bodyDays: 7,
        dailyLimit: 1000,
        dnsServers: [],
        requireDmarc: true,
        retrySeconds: [60, 300, 900, 1800, 3600, 7200, 14_400, 28_800, 43_200],
        returnPathHost: undefined,
        systemFrom: undefined,
        expirySteps: [30, 14, 7, 3, 1, 0],
        dunningSteps: [0, 3, 7, 14],
        smtpPlaintext: false,
        smtpUrl: undefined,
        spfInclude: undefined,
        spfIps: [],
        unknownPolicy: 'retry_once',
      },
      browser: {
        anyDomain: '0',
        concurrency: 2,
        enabled: '1',
        executable: undefined,
        maxTransferBytes: 26_214_400,
        noSandbox: '0',
        ports: [],
        sessionSeconds: 120,
        tokens: [],
      },
      git: { secretGraceSeconds: 86_400, webhookMaxBytes: 26_214_400 },
      hostUsage: { keptDays: 31 },
      retention: { archiveDir: undefined, jobDays: undefined, logDays: undefined },
      images: { prunedRetentionDays: 180 },
      nodeSecurity: { rollbackSeconds: 60 },
      surface: {
        certSpotterToken: undefined,
        ctUrl: undefined,
        dnsServers: [],
        enabled: '1',
        mostRunning: 2,
        secrets: [],
      },
      transfers: { maxTtlSeconds: 86_400, mostActive: 50 },
      monitors: { cronSecret: undefined, dnsServers: [] },
      outbound: { allow: [], refuse: [] },
      alerts: {
        backupHours: 26,
        cpuMinutes: 10,
        cpuPercent: 95,
        diskPercent: 90,
        drillDays: 35,
        driftMinutes: 15,
        jobHours: 24,
        licenseDays: 14,
        memoryPercent: 95,
        refusals: 10,
        retentionDays: 90,
        stallSeconds: 900,
      },
      webhooks: {
        allowHttp: 'false',
        breakerCooldown: 60,
        breakerCooldownMax: 3600,
        breakerFailures: 5,
        concurrency: 20,
        disableAfterHours: 120,
        maxAgeHours: 96,
        maxEndpoints: 10,
        retentionDays: 30,
        retrySchedule: [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
        runBudgetMs: 25_000,
        timeoutMs: 15_000,
      },
      chat: {
        perIpPerMinute: 15,
        globalPerMinute: 200,
        retentionDays: 90,
        allowedOrigins: [],
        contentDir: undefined,
        llmDailyLimit: 2000,
      },
      llm: { apiKey: undefined, baseUrl: undefined, model: undefined },
      faults: {},
      warnings: [],
      files: {},
    })
  })

  test('are what empty and blank values count as', () => {
    for (const blank of ['', ' ', '\n']) {
      expect(readConfig(Object.fromEntries(all.map(({ name }) => [name, blank])))).toEqual(readConfig({}))
    }
  })

  test('are settings of distinct names', () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  })
})

describe('a setting', () => {
  test('reaches the place that the table gives it, trimmed', () => {
    const config = readConfig({
      NODE_ENV: 'production',
      DATABASE_URL: ' postgres://svc:pw@db.example:5432/svc?sslmode=verify-full\n',
      SERVICE_LICENSE_KEYS: 'key-a, key-b,,key-a',
      SERVICE_LICENSE_TTL_DAYS: '30',
      PORT: '0',
      SERVICE_RATE_LIMIT_BACKEND: 'postgres',
      MONITOR_DNS_SERVERS: '9.9.9.9,[2620:fe::fe]:53',
      CHAT_ALLOWED_ORIGINS: 'https://example.com,http://localhost:3000',
    })
    expect(config.service.production).toBe(true)
    expect(config.database.url).toBe('postgres://svc:pw@db.example:5432/svc?sslmode=verify-full')
    expect(config.licensing).toEqual({ keys: ['key-a', 'key-b'], ttlDays: 30, tiers: {}, agentOnly: false })
    expect(config.http.port).toBe(0)
    expect(config.limits.backend).toBe('postgres')
    expect(config.monitors.dnsServers).toEqual(['9.9.9.9', '[2620:fe::fe]:53'])
    expect(config.chat.allowedOrigins).toEqual(['https://example.com', 'http://localhost:3000'])
    expect([config.warnings, config.faults]).toEqual([[], {}])
  })

  test('that is a key is kept as it is, readable or not: the signer judges it', () => {
    expect(readConfig({ SERVICE_LICENSE_PRIVKEY: 'no key' }).signing.privateKey).toBe('no key')
  })

  test.each([
    ['PORT', '80a'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '8e3'],
    ['SERVICE_JOB_LEASE_SECONDS', '0'],
    ['SERVICE_JOB_LEASE_SECONDS', '12.5'],
    ['SERVICE_LICENSE_TTL_DAYS', '0'],
    ['SERVICE_LICENSE_TTL_DAYS', '9'.repeat(40)],
    ['SERVICE_LOG_LEVEL', 'loud'],
    ['SERVICE_RATE_LIMIT_BACKEND', 'redis'],
    ['SERVICE_PUBLIC_URL', 'example.com'],
    ['SERVICE_PUBLIC_URL', 'ftp://example.com'],
    ['DATABASE_URL', 'mysql://db/svc'],
    ['DATABASE_URL', 'postgres:svc'],
    ['SERVICE_LICENSE_PUBKEYS_RETIRED', '-----BEGIN PRIVATE KEY-----'],
  ])('with a bad value stops the start and names what it must be: %s=%s', (name, value) => {
    const [fault, ...others] = faultsOf({ [name]: value })
    expect(fault).toMatch(new RegExp(`^${name} must be `))
    expect(others).toEqual([])
  })
})

describe('bad settings', () => {
  test('are reported all at once', () => {
    const env = {
      PORT: 'x',
      SERVICE_LICENSE_TTL_DAYS: 'week',
      SERVICE_LOG_LEVEL: 'loud',
      CHAT_RATE_LIMIT: 'none',
    }
    expect(
      faultsOf(env)
        .map((fault) => fault.split(' ')[0])
        .sort(),
    ).toEqual(Object.keys(env).sort())
    expect(() => readConfig(env)).toThrow(
      /PORT must be a whole number from 0 to 65535\n.*SERVICE_LICENSE_TTL_DAYS/,
    )
  })

  test('of an optional feature close that feature and nothing else', () => {
    const config = readConfig({
      CHAT_RATE_LIMIT: 'many',
      MONITOR_DNS_SERVERS: '1.2.3',
      MONITORS_CRON_SECRET: 's'.repeat(23),
      SERVICE_METRICS_TOKEN: 'm'.repeat(24),
    })
    expect(config.faults).toEqual({
      chat: ['CHAT_RATE_LIMIT must be a whole number from 1 to 100000'],
      monitors: [
        expect.stringMatching(/^MONITORS_CRON_SECRET must be at least 24 visible ASCII characters/),
        expect.stringMatching(/^MONITOR_DNS_SERVERS must be /),
      ],
    })
    expect(config.chat.perIpPerMinute).toBe(15)
    expect(config.http.port).toBe(8080)
  })

  test('never show a value, neither in errors nor in faults nor in warnings', () => {
    fc.assert(
      fc.property(fc.constantFrom(...all), fc.string({ minLength: 12, maxLength: 40 }), (setting, noise) => {
        const env = { [setting.name]: `zq-${noise}`, SERVICE_NO_SUCH_THING: `zq-${noise}` }
        const said = [...faultsOf(env)]
        if (said.length === 0) {
          const { faults, warnings } = readConfig(env)
          said.push(...Object.values(faults).flat(), ...warnings)
        }
        expect(said.length).toBeGreaterThan(0)
        expect(said.join()).not.toContain('zq-')
      }),
    )
  })
})

describe('a warning', () => {
  test('names an unknown setting of ours and the one that was probably meant', () => {
    const env = { SERVICE_LICENCE_KEYS: 'k', SERVICE_LOGLEVEL: 'info', SERVICE_COLOUR_OF_SKY: 'blue' }
    expect(readConfig(env).warnings).toEqual([
      'SERVICE_COLOUR_OF_SKY is not a setting',
      'SERVICE_LICENCE_KEYS is not a setting: did you mean SERVICE_LICENSE_KEYS?',
      'SERVICE_LOGLEVEL is not a setting: did you mean SERVICE_LOG_LEVEL?',
    ])
  })

  test('is not given for names of other programs nor for those that our commands read', () => {
    const env = { HOME: '/root', LLM_OTHER: 'x', SERVICE_URL: 'http://x', SERVICE_LICENSE_KEY: 'k' }
    expect(readConfig(env).warnings).toEqual([])
  })

  test('is given when NODE_ENV looks like production and is not the word', () => {
    for (const value of ['prod', 'Production', '"production"', 'live']) {
      const config = readConfig({ NODE_ENV: value })
      expect(config.service.production).toBe(false)
      expect(config.warnings).toEqual([expect.stringMatching(/^NODE_ENV looks like production/)])
    }
    expect(readConfig({ NODE_ENV: 'development' }).warnings).toEqual([])
  })

  test('is given when a session secret is short enough to be guessed', () => {
    const long = 'x'.repeat(32)
    expect(readConfig({ SERVICE_SESSION_SECRET: `${long},short` }).warnings).toHaveLength(1)
    expect(readConfig({ SERVICE_SESSION_SECRET: long }).warnings).toEqual([])
  })
})
