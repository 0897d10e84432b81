import { choice, type Setting, wholeNumber } from '../../platform/config/setting.ts'
import { optional } from '../../platform/config/setting-group.ts'

const count = (name: string, doc: string, fallback: number, max: number) =>
  wholeNumber(name, doc, { fallback, min: 1, max })

const MAX_RETRIES = 11
const MAX_DELAY_SECONDS = 604_800

/** Delays in seconds, in the order of the retries; unlike in a list, one may come twice. */
const retrySchedule: Setting<readonly number[]> = {
  name: 'WEBHOOK_RETRY_SCHEDULE',
  doc: 'Delays before each retry of a message, in seconds.',
  form: `1 to ${MAX_RETRIES} whole numbers from 1 to ${MAX_DELAY_SECONDS}, separated by commas`,
  secret: false,
  fallback: [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
  parse: (text) => {
    const delays = text.split(',').map((entry) => (/^\s*\d{1,6}\s*$/.test(entry) ? Number(entry) : 0))
    const isGood =
      delays.length <= MAX_RETRIES && delays.every((each) => each >= 1 && each <= MAX_DELAY_SECONDS)
    return isGood ? delays : undefined
  },
}

/** Settings of webhooks. */
export const webhooks = optional('Webhooks', {
  allowHttp: choice(
    'WEBHOOK_ALLOW_HTTP',
    'Whether endpoints may have an address without TLS.',
    ['false', 'true'],
    'false',
  ),
  retrySchedule,
  timeoutMs: wholeNumber('WEBHOOK_TIMEOUT_MS', 'How long an endpoint may take to answer, in milliseconds.', {
    fallback: 15_000,
    min: 1000,
    max: 30_000,
  }),
  breakerFailures: count(
    'WEBHOOK_BREAKER_FAILURES',
    'Failures in a row that leave an endpoint alone.',
    5,
    1000,
  ),
  breakerCooldown: count(
    'WEBHOOK_BREAKER_COOLDOWN',
    'For how long, in seconds; the time doubles with each failure after it.',
    60,
    86_400,
  ),
  breakerCooldownMax: count(
    'WEBHOOK_BREAKER_COOLDOWN_MAX',
    'For how long at most, in seconds.',
    3600,
    86_400,
  ),
  disableAfterHours: count(
    'WEBHOOK_DISABLE_AFTER_HOURS',
    'Hours of failure after which an endpoint is disabled.',
    120,
    8760,
  ),
  maxAgeHours: count('WEBHOOK_MAX_AGE_HOURS', 'Hours after which a message that waits expires.', 96, 8760),
  retentionDays: count(
    'WEBHOOK_RETENTION_DAYS',
    'Days that messages and ended deliveries are kept.',
    30,
    3650,
  ),
  maxEndpoints: count('WEBHOOK_MAX_ENDPOINTS', 'The most endpoints of a license.', 10, 1000),
  runBudgetMs: count(
    'WEBHOOK_RUN_BUDGET_MS',
    'How long a call of the run route takes up messages, in milliseconds.',
    25_000,
    300_000,
  ),
  concurrency: count('WEBHOOK_CONCURRENCY', 'Messages that a replica sends at the same time.', 20, 1000),
})

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly webhooks: typeof webhooks
  }
}
