/** Days that ended jobs are kept where the setting says nothing. */
export const JOB_DAYS = 90
/** Days that logs are kept where the setting says nothing. */
export const LOG_DAYS = 30
/** Logs that are kept for so many days go by the month: a month more is little then. */
export const DAYS_OF_MONTHS = 28
/** Newest deployments of an app whose jobs stay at any age. */
export const KEPT_DEPLOYMENTS = 10
