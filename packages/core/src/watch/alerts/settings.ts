import { wholeNumber } from '../../platform/config/setting.ts'
import { required } from '../../platform/config/setting-group.ts'

const percent = (name: string, what: string, fallback: number) =>
  wholeNumber(name, `An alert opens when ${what} of a host is this full or fuller, in percent.`, {
    fallback,
    min: 1,
    max: 100,
  })

/** Thresholds that open alerts. */
export const alerts = required('Alerts', {
  diskPercent: percent('SERVICE_ALERT_DISK_PERCENT', 'the disk', 90),
  memoryPercent: percent('SERVICE_ALERT_MEMORY_PERCENT', 'the memory', 95),
  cpuPercent: percent('SERVICE_ALERT_CPU_PERCENT', 'the processor', 95),
  cpuMinutes: wholeNumber(
    'SERVICE_ALERT_CPU_MINUTES',
    'How long the processor has to be that busy, in minutes.',
    { fallback: 10, min: 0, max: 1440 },
  ),
  backupHours: wholeNumber('SERVICE_ALERT_BACKUP_HOURS', 'Hours after which the last backup is too old.', {
    fallback: 26,
    min: 1,
    max: 8760,
  }),
  drillDays: wholeNumber('SERVICE_ALERT_DRILL_DAYS', 'Days after which the last restore drill is too old.', {
    fallback: 35,
    min: 1,
    max: 3650,
  }),
  jobHours: wholeNumber(
    'SERVICE_ALERT_JOB_HOURS',
    'Hours that a failed job that nothing made good keeps its alert open.',
    { fallback: 24, min: 1, max: 720 },
  ),
  licenseDays: wholeNumber('SERVICE_ALERT_LICENSE_DAYS', 'Days before the end of a license.', {
    fallback: 14,
    min: 1,
    max: 365,
  }),
  driftMinutes: wholeNumber(
    'SERVICE_ALERT_DRIFT_MINUTES',
    'How long a host may differ from its security settings, in minutes.',
    { fallback: 15, min: 0, max: 10_080 },
  ),
  refusals: wholeNumber(
    'SERVICE_ALERT_REFUSALS',
    'Requests of a license that its rate limits refuse in five minutes.',
    { fallback: 10, min: 1, max: 100_000 },
  ),
  stallSeconds: wholeNumber(
    'SERVICE_ALERT_STALL_SECONDS',
    'Longest time between two ticks, and longest delay of a monitor, in seconds.',
    { fallback: 900, min: 60, max: 86_400 },
  ),
  retentionDays: wholeNumber(
    'SERVICE_ALERT_RETENTION_DAYS',
    'Days after which resolved alerts are removed.',
    { fallback: 90, min: 1, max: 3650 },
  ),
})

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly alerts: typeof alerts
  }
}
