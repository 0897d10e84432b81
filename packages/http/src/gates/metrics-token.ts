import { sharedSecret } from './shared-secret.ts'

/** Admits holders of `SERVICE_METRICS_TOKEN`, or every caller when it is unset (docs/health.md). */
export const metricsToken = sharedSecret({
  scheme: 'metricsToken',
  secretOf: ({ metrics }) => metrics.token,
  isClosed: ({ faults }) => faults.metrics !== undefined,
  whenUnset: 'admit',
  limit: { name: 'metrics', limit: 60, windowSeconds: 60 },
})
