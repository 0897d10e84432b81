import { wholeNumber } from '../../platform/config/setting.ts'
import { required } from '../../platform/config/setting-group.ts'

/** Settings of hosts of licenses. */
export const hosts = required('Hosts', {
  perLicense: wholeNumber(
    'SERVICE_HOSTS_PER_LICENSE',
    'Hosts of a license at most; further ones are refused, those known stay.',
    { fallback: 1000, min: 1, max: 100_000 },
  ),
})

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly hosts: typeof hosts
  }
}
