import type { Config } from '../../../platform/config/config.ts'

/** Thresholds of the alert rules: `config.alerts`. */
export type AlertThresholds = Config['alerts']

/** Least disk usage that makes `disk_high` critical, in percent. */
export const CRITICAL_DISK_PERCENT = 98
/** Days before expiry when `license_expiring` becomes critical. */
export const CRITICAL_LICENSE_DAYS = 3
