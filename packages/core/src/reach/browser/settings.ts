import { choice, list, text, wholeNumber } from '../../platform/config/setting.ts'
import { optional } from '../../platform/config/setting-group.ts'
import { isSharedSecret, SECRET_CHARS_NEEDED } from '../../platform/config/shared-secret.ts'

/** Settings of the browser worker. */
export const browser = optional('Browser worker', {
  enabled: choice('BROWSER_WORKER_ENABLED', 'Whether pages may be opened.', ['1', '0'], '1'),
  tokens: list('BROWSER_WORKER_TOKENS', 'Tokens that drive the browser worker, beside the stored ones.', {
    secret: true,
    of: `tokens of at least ${SECRET_CHARS_NEEDED} characters`,
    accepts: isSharedSecret,
  }),
  executable: text('BROWSER_EXECUTABLE', 'Chromium; unset: /usr/bin/chromium, else /usr/bin/google-chrome.'),
  concurrency: wholeNumber('BROWSER_MAX_CONCURRENCY', 'Pages that are worked on at once.', {
    fallback: 2,
    min: 1,
    max: 32,
  }),
  ports: list('BROWSER_ALLOWED_PORTS', 'Ports of pages beside 80, 443, 8080 and 8443.', {
    of: 'ports',
    accepts: (entry) => /^[1-9]\d{0,4}$/.test(entry) && Number(entry) <= 65_535,
  }),
  maxTransferBytes: wholeNumber(
    'BROWSER_MAX_TRANSFER_BYTES',
    'Bytes to and from the pages of one request or session.',
    { fallback: 26_214_400, min: 65_536, max: 1_073_741_824 },
  ),
  sessionSeconds: wholeNumber('BROWSER_SESSION_TTL_S', 'How long a session is kept unused, in seconds.', {
    fallback: 120,
    min: 5,
    max: 3600,
  }),
  noSandbox: choice(
    'BROWSER_NO_SANDBOX',
    'Whether Chromium runs without its sandbox, as it must for root. Better: run the service as another user.',
    ['0', '1'],
    '0',
  ),
  anyDomain: choice(
    'BROWSER_ALLOW_ANY_DOMAIN',
    'Whether a run of the agent may leave the domain it began in for any other.',
    ['0', '1'],
    '0',
  ),
})

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly browser: typeof browser
  }
}
