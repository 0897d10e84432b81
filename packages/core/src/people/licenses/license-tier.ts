import { FEATURES, PLAN } from './license.ts'
import type { LicensesStore } from './licenses-store.ts'
import type { Tier } from './settings.ts'

type Tiers = Readonly<Record<string, Tier>>

/** Plan and features of a tier: the table's, else every license's. */
export function entitlement(tier: string | undefined, tiers: Tiers): Tier {
  const known = tier !== undefined && Object.hasOwn(tiers, tier) ? tiers[tier] : undefined
  return known ?? { plan: PLAN, features: FEATURES }
}

/** Plan and features of a license. Without a table no tier says anything, and nothing is read. */
export async function entitlementOf(
  licenses: Pick<LicensesStore, 'get'>,
  tiers: Tiers,
  licenseId: string,
): Promise<Tier> {
  const isTold = Object.keys(tiers).length > 0
  return entitlement(isTold ? (await licenses.get(licenseId))?.tier : undefined, tiers)
}
