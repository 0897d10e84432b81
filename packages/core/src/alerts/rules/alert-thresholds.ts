import type { Config } from '../../config/config.ts'

/** Thresholds of the alert rules: `config.alerts`. */
export type AlertThresholds = Config['alerts']

/** Disk usage from which `disk_high` is critical, in percent. */
export const CRITICAL_DISK_PERCENT = 98
/** Days before expiry from which `license_expiring` is critical. */
export const CRITICAL_LICENSE_DAYS = 3
