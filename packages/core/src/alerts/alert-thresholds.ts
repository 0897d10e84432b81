import type { Config } from '../config/config.ts'

/** The bounds at which conditions begin: `config.alerts`. */
export type AlertThresholds = Config['alerts']

/** From this figure on a full disk is critical, in percent. */
export const CRITICAL_DISK_PERCENT = 98
/** A license that ends within so many days is critical. */
export const CRITICAL_LICENSE_DAYS = 3
