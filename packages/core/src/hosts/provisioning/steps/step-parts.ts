import type { Money } from '../../../kernel/money.ts'
import type { LicenseStanding } from '../../../people/licenses/license.ts'
import type { Base } from '../../../platform/base.ts'
import type { Order } from '../order.ts'
import type { ServerLabels, ServerProvider } from '../server-provider.ts'

/** Limits and tools of all steps. */
export interface StepSettings extends Pick<Base, 'storage' | 'clock'> {
  readonly licenses: LicenseStanding
  readonly ceiling: Money | undefined
  readonly maxPerLicense: number
  readonly createsPerHour: number
  readonly destroysFailed: boolean
  /** Returns the user data of an order's server. @throws UnfitValue, or Problem `secrets-not-configured` */
  readonly userData: (order: Order) => Promise<string>
}

/** Dependencies of one step of an order. */
export interface StepParts extends StepSettings {
  /** The id of this control plane in labels. */
  readonly planeId: string
  /** The provider of the order, with the token that its gates were checked for. */
  readonly provider: ServerProvider
  /** The claim of the order. */
  readonly token: string
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
