import { list, type Setting, wholeNumber } from '../setting.ts'
import { required } from '../setting-group.ts'
import { isSendable } from '../shared-secret.ts'

/**
 * The allow-list. A key that cannot be a bearer token causes a warning: it works in the body of an activation
 * only.
 */
const licenseKeys: Setting<readonly string[]> = {
  ...list('SERVICE_LICENSE_KEYS', 'License keys accepted without a row in the database.', {
    secret: true,
    of: 'license keys',
  }),
  caution: (keys) =>
    keys.every(isSendable)
      ? undefined
      : 'has a key that is not of 1 to 512 visible ASCII characters: hosts can activate with it and call nothing else',
}

/** Settings of licenses and their activation tokens. */
export const licensing = required('Licensing', {
  keys: licenseKeys,
  ttlDays: wholeNumber('SERVICE_LICENSE_TTL_DAYS', 'Lifetime of activation tokens in days.', {
    fallback: 7,
    min: 1,
    max: 3650,
  }),
})
