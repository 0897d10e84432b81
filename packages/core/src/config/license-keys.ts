import { list, type Setting } from './setting.ts'
import { isSendable } from './shared-secret.ts'

/** The allow-list. Keys that no bearer can be are good for activation by body alone, and warned about. */
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
