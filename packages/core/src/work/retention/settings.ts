import { text, wholeNumber } from '../../platform/config/setting.ts'
import { required } from '../../platform/config/setting-group.ts'
import { DAYS_OF_MONTHS, JOB_DAYS, LOG_DAYS } from './retention-days.ts'

const bounds = { min: 1, max: 36_500 }

/** Settings of the retention of jobs and logs, without defaults: it counts whether they are written. */
export const retention = required('Retention of jobs', {
  jobDays: wholeNumber(
    'SERVICE_JOB_RETENTION_DAYS',
    `Days that jobs and their deployments are kept after their end; unset: ${JOB_DAYS}, once the rules are accepted.`,
    bounds,
  ),
  logDays: wholeNumber(
    'SERVICE_LOG_RETENTION_DAYS',
    `Days that logs are kept after the end of their jobs, from ${DAYS_OF_MONTHS} on by the month; unset: ${LOG_DAYS}, once the rules are accepted.`,
    bounds,
  ),
  archiveDir: text(
    'SERVICE_ARCHIVE_DIR',
    'Folder that jobs and logs are written to before they are removed, the same on every replica; none ends an archive.',
  ),
})

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly retention: typeof retention
  }
}
