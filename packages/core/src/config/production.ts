import { type Setting, text } from './setting.ts'

/**
 * Only the exact word means production (spec, License key validation); any other value applies the
 * development rules.
 */
export const production: Setting<boolean> = {
  ...text('NODE_ENV', 'Outside `production`, an empty allow-list means that any license key is accepted.'),
  form: 'text; only `production` matters',
  fallback: false,
  parse: (given) => given === 'production',
  show: (isProduction) => (isProduction ? 'production' : 'development'),
  caution: (isProduction, given) =>
    !isProduction && /^\W*(prod|live)/i.test(given)
      ? 'looks like production, but only the exact word production means it: development rules apply'
      : undefined,
}
