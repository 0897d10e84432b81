import { wholeNumber } from '../../platform/config/setting.ts'
import { required } from '../../platform/config/setting-group.ts'

/** Settings of the ledger of images. */
export const images = required('Images', {
  prunedRetentionDays: wholeNumber(
    'IMAGES_PRUNED_RETENTION_DAYS',
    'Days that the ledger keeps images that are no longer in their repository.',
    { fallback: 180, min: 1, max: 3650 },
  ),
})

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly images: typeof images
  }
}
