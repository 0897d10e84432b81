import { choice, type Setting, text, url, wholeNumber } from '../setting.ts'
import { required } from '../setting-group.ts'

/**
 * Only the exact word means production (spec, License key validation); any other value applies the
 * development rules.
 */
const production: Setting<boolean> = {
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

/** pino's levels, from the most to the least detailed. */
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** Settings of the service as a whole. */
export const service = required('Service', {
  production,
  publicUrl: url('SERVICE_PUBLIC_URL', 'The address under which people reach the service.', [
    'https',
    'http',
  ]),
  dataDir: text(
    'SERVICE_DATA_DIR',
    'Folder of the embedded database when `DATABASE_URL` is unset; unset: in memory.',
  ),
  logLevel: choice('SERVICE_LOG_LEVEL', 'The least severe log lines that are written.', LOG_LEVELS, 'info'),
  console: choice(
    'SERVICE_CONSOLE',
    'Whether the console is served at `/console`: `1` or `0`.',
    ['1', '0'],
    '1',
  ),
  drainDelaySeconds: wholeNumber(
    'SERVICE_DRAIN_DELAY_SECONDS',
    'How long healthz answers 503 before the service stops accepting: 5 suits a load balancer.',
    { fallback: 0, min: 0, max: 300 },
  ),
})
