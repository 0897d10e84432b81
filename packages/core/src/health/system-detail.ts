/**
 * Everything that a check may say beside its status. `docs/health.md` tells what each means and what to do.
 */
export const SYSTEM_DETAILS = [
  /** The check itself. */
  'timeout',
  'error',
  /** Settings. */
  'bad-setting',
  'doubtful-setting',
  'not-configured',
  'unset',
  'unusable',
  'short',
  'new-at-each-start',
  'retired-key-unusable',
  'development-rules',
  'no-license',
  /** The database. */
  'unreachable',
  'in-memory',
  'embedded',
  'tables-missing',
  'pending',
  'drifted',
  'ahead',
  'clock-differs',
  'old-transaction',
  'disk-nearly-full',
  'disk-full',
  /** Work. */
  'never-ran',
  'stalled',
  'job-waits',
  'lease-expired',
  /** The world outside. */
  'no-resolver',
  'no-answer',
  'some-do-not-answer',
  'refused',
  'busy',
  'unexpected-answer',
  'address-refused',
  'unresolved',
  'not-trusted',
  'no-documents',
  /** This machine, for a check without a server. */
  'served',
  'not-there-yet',
  'not-writable',
  'open-to-others',
  'belongs-to-another',
  'in-use',
  'not-allowed',
  'too-old',
  'not-found',
] as const
export type SystemDetail = (typeof SYSTEM_DETAILS)[number]
