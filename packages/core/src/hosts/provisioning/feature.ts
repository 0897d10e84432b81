import type { Licenses } from '../../people/licenses/licenses.ts'
import type { Base } from '../../platform/base.ts'
import { featureOf } from '../../platform/feature.ts'
import type { Operation } from '../../platform/operations/operation.ts'
import { silent } from '../../platform/scheduler/scheduled-task.ts'
import { OrderGates } from './order-gates.ts'
import { ProviderAccess } from './provider-access.ts'
import { ProviderCredentials } from './provider-credentials.ts'
import { Provisioning } from './provisioning.ts'
import { ProvisioningMetrics } from './provisioning-metrics.ts'
import { type ProvisioningUses, provisioningOperations } from './provisioning-operations.ts'
import { type OrderUses, provisioningOrderOperations } from './provisioning-order-operations.ts'
import { ProvisioningOrders } from './provisioning-orders.ts'
import { ProvisioningWorker } from './provisioning-worker.ts'
import type { OpenProvider } from './server-provider.ts'
import * as settings from './settings.ts'
import { UserData } from './user-data.ts'

const TASK_MS = 20_000

/** The tools and services that provisioning uses. */
export interface ProvisioningNeeds {
  readonly outside: { readonly openProvider: OpenProvider }
  readonly licenses: Licenses
}
/** The services of provisioning. */
export interface ProvisioningServices {
  readonly providerCredentials: ProviderCredentials
  readonly provisioning: Provisioning
  readonly provisioningOrders: ProvisioningOrders
}

const operations: readonly Operation<ProvisioningUses & OrderUses>[] = [
  ...provisioningOperations,
  ...provisioningOrderOperations,
]

/** Servers that licenses order at hosting providers. */
export const provisioning = featureOf<ProvisioningNeeds>()({
  settings,
  sql: () => import('./provisioning-store-sql.ts'),
  services: servicesOf,
  operations,
  events: ['provisioning.state_changed'],
  tasks: ({ provisioning }) => [
    { name: 'provisioning', budgetMs: TASK_MS, run: silent((signal) => provisioning.tick(signal)) },
  ],
})

function servicesOf(base: Base, { outside, licenses }: ProvisioningNeeds): ProvisioningServices {
  const { config, storage, ids } = base
  const { hetznerToken, digitaloceanToken, spendCeiling: ceiling } = config.provisioning
  const tokens = {
    ...(hetznerToken === undefined ? {} : { hetzner: hetznerToken }),
    ...(digitaloceanToken === undefined ? {} : { digitalocean: digitaloceanToken }),
  }
  const { credentialMaxAgeHours: maxAgeHours, createsPerHour, maxPerLicense } = config.provisioning
  const access = new ProviderAccess({ ...base, open: outside.openProvider, tokens, maxAgeHours })
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
