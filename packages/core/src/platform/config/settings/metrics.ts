import { optional } from '../setting-group.ts'
import { sharedSecret } from '../shared-secret.ts'

/** Settings of `/metrics`. */
export const metrics = optional('Metrics', {
  token: sharedSecret('SERVICE_METRICS_TOKEN', 'Bearer token that `/metrics` asks for; unset: open.'),
})
