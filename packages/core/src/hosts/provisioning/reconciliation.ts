import type { Order, ProviderName } from './order.ts'
import type { ProviderServer } from './server-provider.ts'

/** Differences between the servers of a provider and the orders. */
export interface Reconciliation {
  readonly provider: ProviderName
  readonly planeId: string
  /** Servers of this control plane that no order knows. */
  readonly orphans: readonly ProviderServer[]
  /** Orders whose server the provider does not list. */
  readonly missing: readonly Order[]
  /** Orders whose server costs more now than is reserved for it, in minor units. */
  readonly overPrice: readonly { readonly order: Order; readonly minor: number }[]
}
