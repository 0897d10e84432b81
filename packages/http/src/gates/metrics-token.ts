import { sharedSecret } from './shared-secret.ts'

/** Holders of `SERVICE_METRICS_TOKEN`, or everybody when it is unset (wire: Health and metrics). */
export const metricsToken = sharedSecret({
  scheme: 'metricsToken',
  secretOf: ({ metrics }) => metrics.token,
  isClosed: ({ faults }) => faults.metrics !== undefined,
  whenUnset: 'admit',
})
