import { isResolverAddress, list } from '../../platform/config/setting.ts'
import { optional } from '../../platform/config/setting-group.ts'
import { sharedSecret } from '../../platform/config/shared-secret.ts'

/** Settings of monitors. */
export const monitors = optional('Monitors', {
  cronSecret: sharedSecret('MONITORS_CRON_SECRET', 'Secret of the monitor run; unset: every run is refused.'),
  dnsServers: list('MONITOR_DNS_SERVERS', "Resolvers that monitors ask; unset: the system's.", {
    of: 'IP addresses, each with or without a port',
    accepts: isResolverAddress,
  }),
})

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly monitors: typeof monitors
  }
}
