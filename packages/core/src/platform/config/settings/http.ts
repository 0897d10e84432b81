import { isAddressRange, list, text, wholeNumber } from '../setting.ts'
import { required } from '../setting-group.ts'

/** Settings of the listening socket. */
export const http = required('HTTP', {
  host: text('SERVICE_HOST', 'The address to listen on.', { fallback: '127.0.0.1' }),
  port: wholeNumber('PORT', 'The port to listen on; 0 takes any free one.', {
    fallback: 8080,
    min: 0,
    max: 65_535,
  }),
  trustedProxies: list(
    'SERVICE_TRUSTED_PROXIES',
    'Ranges of the proxies in front: the client is the last address outside of them. Unset: the hops count.',
    {
      of: 'address ranges such as 10.1.0.0/16',
      // A range that holds everybody would let clients choose their own address.
      accepts: (entry) => isAddressRange(entry) && !entry.endsWith('/0'),
    },
  ),
  trustedProxyHops: wholeNumber(
    'SERVICE_TRUSTED_PROXY_HOPS',
    'Proxies in front, where their ranges are not set: the client is this entry of `x-forwarded-for`, counted from the right; 0 ignores the header.',
    { fallback: 1, min: 0, max: 16 },
  ),
  maxConnections: wholeNumber(
    'SERVICE_MAX_CONNECTIONS',
    'Open connections at most; unset: the number that the limit of open files leaves.',
    {
      min: 1,
      max: 1_000_000,
    },
  ),
})
