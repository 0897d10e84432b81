import type { ProviderName } from '../../hosts/provisioning/order.ts'
import type { OpenProvider } from '../../hosts/provisioning/server-provider.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Base } from '../../platform/base.ts'
import { systemResolver } from '../../platform/net/dns-system.ts'
import { createOutbound, type Outbound } from '../../platform/net/outbound.ts'
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
const PROVIDER_LIMITS = { answerMs: 60_000, totalMs: 60_000, maxBytes: 8_388_608 } as const
const LOOPBACK = ['127.0.0.0/8', '::1/128']

/** Tokens go to the provider's own address, or to this machine if the settings say so, and nowhere else. */
export function providersOf({ config, clock, log }: Base, outbound?: Outbound): OpenProvider {
  const { hetznerApiBase: hetzner, digitaloceanApiBase: digitalocean } = config.provisioning
  const isLocal = [hetzner, digitalocean].some((base) => /^https?:\/\/(?:127\.|\[::1\])/.test(base))
  const reach = {
    resolver: systemResolver(),
    allow: isLocal ? LOOPBACK : [],
    own: () => [],
    anyPort: isLocal,
  }
  const client = outbound ?? createOutbound({ ...reach, log, limits: PROVIDER_LIMITS })
  return httpProviders({ outbound: client, clock, bases: { hetzner, digitalocean } })
}
