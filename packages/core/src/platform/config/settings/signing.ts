import { list, text } from '../setting.ts'
import { required } from '../setting-group.ts'

/** Settings of the keys that sign tokens. */
export const signing = required('Signing', {
  privateKey: text(
    'SERVICE_LICENSE_PRIVKEY',
    'Ed25519 key that signs tokens: a seed, a secret key of NaCl, or PKCS#8; from `svc mint-key`.',
    {
      secret: true,
    },
  ),
  retiredPublicKeys: list(
    'SERVICE_LICENSE_PUBKEYS_RETIRED',
    'Former public keys, still published so that tokens from before a rotation verify.',
    {
      of: 'public keys',
      accepts: (entry) => !entry.includes('PRIVATE KEY') && !entry.startsWith('svcsk_'),
      show: (entries) => `${entries.length} ${entries.length === 1 ? 'key' : 'keys'}`,
    },
  ),
})
