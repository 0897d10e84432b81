import { isIP } from 'node:net'
import { ProviderFailure } from '../../hosts/provisioning/server-provider.ts'
import { field, type JsonSchema, whole } from '../../kernel/validation.ts'

/** An id of a provider: a whole number that a float holds exactly. It is kept as text. */
export const providerId = () => whole(1, Number.MAX_SAFE_INTEGER)

/** A field that may be anything; a reader that needs it looks closer. */
export const anything = () => field<unknown>({} as JsonSchema, () => true, 'anything')

/** Returns an IP address, without the length of its network; undefined for any other text. */
export function addressOf(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  const [address = ''] = text.split('/')
  return isIP(address) === 0 || address.includes('%') ? undefined : address
}

/** The failure of a price that there is at none of these places. */
export const notOffered = (locations: readonly string[]): ProviderFailure =>
  new ProviderFailure('refused', {
    code: 'not_offered',
    detail: `it is not offered in ${locations.join(', ')}`,
  })
