import type { Clock } from '../../../kernel/clock.ts'
import type { Money } from '../../../kernel/money.ts'
import type { LicenseStanding } from '../../../people/licenses/license.ts'
import type { AgentsStore } from '../../../work/agents/agents-store.ts'
import type { CatalogEntry } from '../catalog.ts'
import type { Order, ProviderName } from '../order.ts'
import type { ServerLabels, ServerProvider } from '../server-provider.ts'

/** Dependencies of the steps of an order. */
export interface StepParts {
  readonly clock: Clock
  readonly licenses: LicenseStanding
  readonly agents: Pick<AgentsStore, 'list'>
  readonly maxPerLicense: number
  readonly destroysFailed: boolean
  /** The id of this control plane in labels. */
  readonly planeId: string
  /** The provider of the order, with the token that its gates were checked for. */
  readonly provider: ServerProvider
  catalogEntry(plan: string, provider: ProviderName): Promise<CatalogEntry | undefined>
  older(order: Order): Promise<number>
  readonly ceiling: Money | undefined
}

/** The labels of an order's server. */
export const labelsOf = (order: Order, planeId: string): ServerLabels => ({
  order: order.id,
  plane: planeId,
  nonce: order.nonce,
})

/** Whether a server carries every label of the order. */
export const isOurs = (labels: Partial<ServerLabels>, order: Order, planeId: string): boolean =>
  labels.order === order.id && labels.plane === planeId && labels.nonce === order.nonce
