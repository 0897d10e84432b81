import { wholeNumber } from '../config/setting.ts'
import { required } from '../config/setting-group.ts'

/** Settings of ticks. */
export const scheduler = required('Scheduler', {
  tickSeconds: wholeNumber(
    'SERVICE_TICK_SECONDS',
    'Seconds between ticks of `svc serve`; 0: an outside cron calls `POST /api/v1/monitors/run`.',
    { fallback: 60, min: 0, max: 3600 },
  ),
})

declare module '../config/settings.ts' {
  interface SettingGroups {
    readonly scheduler: typeof scheduler
  }
}
