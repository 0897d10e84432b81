/** Days that ended jobs are kept where the setting says nothing. */
export const JOB_DAYS = 90
/** Days that logs are kept where the setting says nothing. */
export const LOG_DAYS = 30
/** Newest deployments of an app whose jobs stay at any age. */
export const KEPT_DEPLOYMENTS = 10
