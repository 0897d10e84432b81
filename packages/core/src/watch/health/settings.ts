import { optional } from '../../platform/config/setting-group.ts'
import { sharedSecret } from '../../platform/config/shared-secret.ts'

/** Settings of the system check. */
export const health = optional('System check', {
  token: sharedSecret('SERVICE_HEALTH_TOKEN', 'Bearer token of the system check; unset: sessions only.'),
})

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly health: typeof health
  }
}
