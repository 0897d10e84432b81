import type { Config } from '../../platform/config/config.ts'

/** Settings of webhooks, in the units of the engine. */
export interface WebhookSettings {
  readonly retrySeconds: readonly number[]
  readonly timeoutMs: number
  readonly breakerFailures: number
  readonly breakerCooldownSeconds: number
  readonly breakerCooldownMaxSeconds: number
  readonly disableAfterSeconds: number
  readonly maxAgeSeconds: number
  readonly retentionDays: number
  readonly maxEndpoints: number
  readonly runBudgetMs: number
  readonly concurrency: number
}

const HOUR = 3600

/** Returns the settings of webhooks. */
export const webhookSettings = ({ webhooks }: Config): WebhookSettings => ({
  retrySeconds: webhooks.retrySchedule,
  timeoutMs: webhooks.timeoutMs,
  breakerFailures: webhooks.breakerFailures,
  breakerCooldownSeconds: webhooks.breakerCooldown,
  breakerCooldownMaxSeconds: webhooks.breakerCooldownMax,
  disableAfterSeconds: webhooks.disableAfterHours * HOUR,
  maxAgeSeconds: webhooks.maxAgeHours * HOUR,
  retentionDays: webhooks.retentionDays,
  maxEndpoints: webhooks.maxEndpoints,
  runBudgetMs: webhooks.runBudgetMs,
  concurrency: webhooks.concurrency,
})
