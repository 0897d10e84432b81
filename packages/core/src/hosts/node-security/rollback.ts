/** The seconds that a host may be told to wait for its confirmation. */
export const ROLLBACK_SECONDS = { min: 30, max: 300 } as const
