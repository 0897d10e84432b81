import type { ControlPlaneParts } from '../control-plane.ts'
import type { Licenses } from '../licenses/licenses.ts'
import { systemResolver } from '../net/dns-system.ts'
import { createOutbound } from '../net/outbound.ts'
import { OrderGates } from '../provisioning/order-gates.ts'
import { ProviderAccess } from '../provisioning/provider-access.ts'
import { ProviderCredentials } from '../provisioning/provider-credentials.ts'
import { httpProviders, PROVIDER_LIMITS } from '../provisioning/providers/open-provider-http.ts'
import { Provisioning } from '../provisioning/provisioning.ts'
import { ProvisioningMetrics } from '../provisioning/provisioning-metrics.ts'
import { ProvisioningOrders } from '../provisioning/provisioning-orders.ts'
import { ProvisioningWorker } from '../provisioning/provisioning-worker.ts'
import { UserData } from '../provisioning/user-data.ts'
import type { Base } from './base.ts'

const LOOPBACK = ['127.0.0.0/8', '::1/128']

/** Wires the provisioning of servers. */
export function provisioningOf(base: Base, parts: ControlPlaneParts, { licenses }: { licenses: Licenses }) {
  const { config, storage, ids } = base
  const { hetznerToken, digitaloceanToken, spendCeiling: ceiling } = config.provisioning
  const tokens = {
    ...(hetznerToken === undefined ? {} : { hetzner: hetznerToken }),
    ...(digitaloceanToken === undefined ? {} : { digitalocean: digitaloceanToken }),
  }
  const { credentialMaxAgeHours: maxAgeHours, createsPerHour, maxPerLicense } = config.provisioning
  const access = new ProviderAccess({ ...base, open: openerOf(base, parts), tokens, maxAgeHours })
  const { templateFile: file, live, destroyOnFailure } = config.provisioning
  const userData = new UserData({ ...base, file, publicUrl: config.service.publicUrl })
  // A bad ceiling closes its own gate; any other bad setting is no opt-in.
  const faults = config.faults.provisioning ?? []
  const isLive = live === 'true' && faults.every((fault) => fault.startsWith('PROVISIONING_SPEND_CEILING'))
  const templateFaults = () => userData.faults()
  const gates = new OrderGates({ ...base, access, isLive, ceiling, templateFaults })
  const planeId = () => storage.provisioning.planeId(ids.next('cp').replace('_', '-'))
  const worker = new ProvisioningWorker({
    ...{ ...base, licenses, gates, ceiling, maxPerLicense, createsPerHour, planeId },
    metrics: new ProvisioningMetrics(base.metrics),
    destroysFailed: destroyOnFailure === 'true',
    userData: (order) => userData.of(order),
  })
  const credentials = new ProviderCredentials({ ...base, access, tokens, maxAgeHours })
  return {
    providerCredentials: credentials,
    provisioning: new Provisioning({
      ...{ ...base, access, gates, worker, credentials, userData, ceiling, planeId },
    }),
    provisioningOrders: new ProvisioningOrders({ ...base, access, licenses, ceiling }),
  }
}

/** Tokens go to the provider's own address, or to this machine if the settings say so, and nowhere else. */
function openerOf({ config, clock, log }: Base, parts: ControlPlaneParts) {
  const { hetznerApiBase: hetzner, digitaloceanApiBase: digitalocean } = config.provisioning
  const isLocal = [hetzner, digitalocean].some((base) => /^https?:\/\/(?:127\.|\[::1\])/.test(base))
  const reach = {
    resolver: systemResolver(),
    allow: isLocal ? LOOPBACK : [],
    own: () => [],
    anyPort: isLocal,
  }
  const outbound = parts.providerOutbound ?? createOutbound({ ...reach, log, limits: PROVIDER_LIMITS })
  return httpProviders({ outbound, clock, bases: { hetzner, digitalocean } })
}
