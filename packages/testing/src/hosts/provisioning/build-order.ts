import { type CatalogEntry, type NewOrder, providerNameOf } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Returns an order for one small server at Hetzner, changed by `fields`. */
export function buildOrder(fields: Partial<NewOrder> = {}): NewOrder {
  const id = fields.id ?? buildId('pord')
  return {
    id,
    licenseId: 'lic_test',
    plan: 'small',
    provider: 'hetzner',
    serverType: 'cx22',
    image: 'debian-12',
    locations: ['fsn1', 'nbg1'],
    sshKeys: ['ops'],
    hostname: 'web-1',
    providerName: providerNameOf(id),
    nonce: '0123abcd',
    licenseKey: 'v1:sealed',
    ...fields,
  }
}

/** Returns Hetzner's offer for `small`, changed by `fields`. */
export const buildCatalogEntry = (fields: Partial<CatalogEntry> = {}): CatalogEntry => ({
  plan: 'small',
  provider: 'hetzner',
  serverType: 'cx22',
  locations: ['fsn1', 'nbg1'],
  image: 'debian-12',
  sshKeys: ['ops'],
  maxMonthlyMinor: 600,
  currency: 'EUR',
  enabled: true,
  ...fields,
})
