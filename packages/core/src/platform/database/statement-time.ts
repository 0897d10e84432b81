/**
 * Returns SQL for the time of a statement: the value of `parameter`, such as `$3`, which only tests and
 * simulations give; else the database's clock.
 */
export const at = (parameter: string): string => `coalesce(${parameter}::timestamptz, now())`
