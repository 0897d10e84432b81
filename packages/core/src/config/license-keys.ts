import { list, type Setting } from './setting.ts'
import { isSendable } from './shared-secret.ts'

/**
 * The allow-list. A key that cannot be a bearer token causes a warning: it works in the body of an activation
 * only.
 */
export const licenseKeys: Setting<readonly string[]> = {
  ...list('SERVICE_LICENSE_KEYS', 'License keys accepted without a row in the database.', {
    secret: true,
    of: 'license keys',
  }),
  caution: (keys) =>
    keys.every(isSendable)
      ? undefined
      : 'has a key that is not of 1 to 512 visible ASCII characters: hosts can activate with it and call nothing else',
}
