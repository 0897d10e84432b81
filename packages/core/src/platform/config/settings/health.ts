import { optional } from '../setting-group.ts'
import { sharedSecret } from '../shared-secret.ts'

/** Settings of the system check. */
export const health = optional('System check', {
  token: sharedSecret('SERVICE_HEALTH_TOKEN', 'Bearer token of the system check; unset: sessions only.'),
})
