import { wholeNumber } from '../../platform/config/setting.ts'
import { required } from '../../platform/config/setting-group.ts'

/** Settings of transfer keys. */
export const transfers = required('Transfer keys', {
  maxTtlSeconds: wholeNumber('TRANSFER_KEY_MAX_TTL_S', 'Longest lifetime of a transfer key, in seconds.', {
    fallback: 86_400,
    min: 60,
    max: 86_400,
  }),
  mostActive: wholeNumber('TRANSFER_MAX_ACTIVE', 'Active transfer keys of a license at most.', {
    fallback: 50,
    min: 1,
    max: 10_000,
  }),
})

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly transfers: typeof transfers
  }
}
