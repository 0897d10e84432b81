import type { Config } from '../../platform/config/config.ts'
import { originOf } from '../../platform/config/setting.ts'

/** The names of all tiers: the tiers in the table, and the tiers that have a price. */
export const tierNames = ({ licensing, billing }: Pick<Config, 'licensing' | 'billing'>): readonly string[] =>
  [...new Set([...Object.keys(licensing.tiers), ...Object.values(billing.prices)])].sort()

/** Whether the provider's test mode counts: outside of production, and where the settings say so. */
export const takesTestMode = ({ service, billing }: Pick<Config, 'service' | 'billing'>): boolean =>
  !service.production || billing.acceptTestEvents === 'true'

/** Whether an event of this mode is meant for this plane. */
export function isExpectedMode(config: Pick<Config, 'service' | 'billing'>, livemode: boolean): boolean {
  return livemode ? config.service.production : takesTestMode(config)
}

/** The names of settings that a checkout lacks. A key of the test mode is none in production. */
export function missingForCheckout(config: Config): readonly string[] {
  const { billing, faults } = config
  const isTest = billing.secretKey?.includes('k_test_') === true
  const hasKey = billing.secretKey !== undefined && (!isTest || takesTestMode(config))
  const missing = [
    ...(hasKey ? [] : ['PAYMENT_SECRET_KEY']),
    ...(Object.keys(billing.prices).length > 0 ? [] : ['PAYMENT_PRICE_<TIER>']),
  ]
  const bad = (faults.billing ?? []).map((fault) => fault.split(' ', 1)[0] ?? '')
  return [...new Set([...missing, ...bad])].sort()
}

/** Sites that a checkout may lead back to. */
export function returnOrigins({ billing, service }: Config): readonly string[] {
  if (billing.returnOrigins.length > 0) return billing.returnOrigins
  return service.publicUrl === undefined ? [] : [originOf(service.publicUrl)]
}
