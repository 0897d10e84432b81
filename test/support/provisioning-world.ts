import { fileURLToPath } from 'node:url'
import type { Clock, ControlPlane, Environment } from '@svc/core'
import { buildCatalogEntry, type FakeServer, fakeOutbound, HetznerFake } from '@svc/testing'

/** The token that the provider of these worlds takes. */
export const PROVIDER_TOKEN = 'planted-provider-token-of-the-world-long'
/** The name of the control plane in labels, and the id of a server that no order knows. */
export const PLANE = 'cp-world'
export const ORPHAN = '4712'

/** Settings that let orders go on. */
export const PROVISIONING_ENV: Environment = {
  PROVISIONING_LIVE: 'true',
  PROVISIONING_SPEND_CEILING: '500.00 EUR',
  PROVISIONING_MAX_SERVERS_PER_LICENSE: '1000',
  PROVISIONING_TEMPLATE_FILE: fileURLToPath(new URL('provisioning-template.yaml', import.meta.url)),
}

/** A provider whose servers stay when they are deleted, so that a deletion can be asked for again. */
class PatientProvider extends HetznerFake {
  protected override remove(_server: FakeServer): void {}

  constructor(clock: Clock) {
    super(clock)
    this.prices.set('cx22', '4.5101')
    this.tokens.set(PROVIDER_TOKEN, 'write')
    const labels = { 'svc-cp': PLANE, 'svc-order': 'pord_none' }
    this.add({ name: 'orphan', type: 'cx22', location: 'fsn1', image: 'debian-12', labels, userData: '' })
  }
}

/** Returns the client of a plane that reaches such a provider. */
export const patientProvider = (clock: Clock) =>
  fakeOutbound({ 'https://api.hetzner.cloud': new PatientProvider(clock) })

/** Meets the requirements of orders, and makes one for the license. Returns the ids by kind. */
export async function stageProvisioning(plane: ControlPlane) {
  const { provisioning: store } = plane.storage
  await store.planeId(PLANE)
  await plane.providerCredentials.set('hetzner', PROVIDER_TOKEN)
  await plane.providerCredentials.verify('hetzner')
  for (const plan of ['small', 'spare']) await plane.provisioning.setCatalog(buildCatalogEntry({ plan }))
  await plane.providerCredentials.set('digitalocean', `${PROVIDER_TOKEN}-2`)
  const { key } = await plane.licenses.issue({ label: 'staged for orders' })
  const order = async () => (await plane.provisioningOrders.create({ plan: 'small', licenseKey: key })).id
  const [pord, sparePord, gonePord] = [await order(), await order(), await order()]
  const rest = {
    token: undefined,
    step: 'validate',
    outcome: 'advanced',
    change: {},
    releases: false,
  } as const
  await store.move({ ...rest, id: gonePord, from: 'requested', to: 'failed_kept', delaySeconds: undefined })
  return { pord, sparePord, gonePord }
}
