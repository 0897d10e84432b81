import { wholeNumber } from '../../platform/config/setting.ts'
import { required } from '../../platform/config/setting-group.ts'

/** Settings of the figures of hosts over time. */
export const hostUsage = required('Charts of hosts', {
  keptDays: wholeNumber(
    'HOST_USAGE_RETENTION_DAYS',
    'Days that processor, memory and disk of hosts are kept.',
    { fallback: 31, min: 2, max: 3650 },
  ),
})

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly hostUsage: typeof hostUsage
  }
}
