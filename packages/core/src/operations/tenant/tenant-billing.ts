import type { Billing, BillingStatus, TierOffer } from '../../billing/billing.ts'
import type { SeenBilling } from '../../billing/billing-operations.ts'
import type { TenantLicenses } from './tenant-licenses.ts'

/** How the licenses of one tenant stand. */
export class TenantBilling implements SeenBilling {
  readonly #billing: Billing
  readonly #licenses: TenantLicenses

  constructor(billing: Billing, licenses: TenantLicenses) {
    this.#billing = billing
    this.#licenses = licenses
  }

  tiers(): readonly TierOffer[] {
    return this.#billing.tiers()
  }

  async status(licenseId: string): Promise<BillingStatus> {
    await this.#licenses.require(licenseId)
    return this.#billing.status(licenseId)
  }
}
