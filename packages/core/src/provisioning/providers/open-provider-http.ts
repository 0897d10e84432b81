import type { Clock } from '../../clock.ts'
import type { Outbound } from '../../net/outbound.ts'
import type { ProviderName } from '../order.ts'
import type { OpenProvider } from '../server-provider.ts'
import { DigitalOceanProvider } from './digitalocean-http.ts'
import { HetznerProvider } from './hetzner-http.ts'

/** Dependencies of sessions at all providers. */
export interface OpenProviderParts {
  readonly outbound: Outbound
  readonly clock: Clock
  readonly bases: Readonly<Record<ProviderName, string>>
}

const ADAPTERS = { hetzner: HetznerProvider, digitalocean: DigitalOceanProvider } as const

/** Returns a function that opens sessions at providers. */
export const httpProviders =
  ({ outbound, clock, bases }: OpenProviderParts): OpenProvider =>
  (name, token) => {
    const provider = new ADAPTERS[name]({ outbound, clock, base: bases[name], token })
    return {
      provider,
      get limitedUntil() {
        return provider.limitedUntil
      },
    }
  }

/** Limits of calls to providers: prices are long lists, and a server may take a minute to be taken up. */
export const PROVIDER_LIMITS = { answerMs: 60_000, totalMs: 60_000, maxBytes: 8_388_608 } as const
