import type { Storage } from '@svc/core'
import type { NewOrder, Order, OrderMove, OrderState, ProvisioningStore } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { buildOrder } from './build-order.ts'

/** The lease under which tests take orders. */
export const LEASE_SECONDS = 120

/** Days between the clocks of two scenes, so that an hour of one is none of the other. */
let days = 0

/** Orders that a test takes and moves, with a clock of their own. */
export class ProvisioningScene {
  readonly clock = new FakeClock()
  readonly #storage: () => Storage

  constructor(storage: () => Storage) {
    this.#storage = storage
    days += 1
    this.clock.advance({ days })
  }

  get storage(): Storage {
    return this.#storage()
  }

  get orders(): ProvisioningStore {
    return this.storage.provisioning
  }

  /** Ends every order, so that only orders that a test adds are due and have money reserved. */
  async clear(): Promise<void> {
    await this.orders.planeId('cp-test')
    for (const { provider } of await this.orders.credentials()) await this.orders.clearCredential(provider)
    for (const { id, state: from } of await this.orders.list({ limit: 10_000 }))
      await this.orders.move(
        this.moveOf({ id, from, to: 'deleted', releases: true, delaySeconds: undefined }),
      )
  }

  add(fields: Partial<NewOrder> = {}): Promise<Order> {
    return this.orders.add(buildOrder(fields), this.clock.now())
  }

  moveOf(fields: Partial<OrderMove> & Pick<OrderMove, 'id' | 'from' | 'to'>): OrderMove {
    const rest = { token: undefined, step: 'validate', outcome: 'advanced', change: {} } as const
    return { ...rest, delaySeconds: 0, releases: false, ...fields }
  }

  async take(order: Order): Promise<{ token: string; taken: Order | undefined }> {
    const token = buildId('prv')
    const claim = { id: order.id, state: order.state, token, leaseSeconds: LEASE_SECONDS }
    return { token, taken: await this.orders.take(claim, this.clock.now()) }
  }

  /** Moves an order to a state, whichever it is in. */
  async put(order: Order, to: OrderState, fields: Partial<OrderMove> = {}): Promise<Order> {
    const now = await this.orders.get(order.id)
    const move = this.moveOf({ id: order.id, from: now?.state ?? order.state, to, ...fields })
    const moved = await this.orders.move(move, this.clock.now())
    if (moved === undefined) throw new Error('the order did not move')
    return moved
  }

  /** Takes an order in `reserving` and asks for money. */
  async reserve(order: Order, amountMinor: number, ceilingMinor: number, currency = 'EUR') {
    const { token } = await this.take(await this.put(order, 'reserving'))
    const request = { orderId: order.id, token, amountMinor, currency, ceilingMinor }
    return this.storage.transaction(({ provisioning }) => provisioning.reserve(request, this.clock.now()))
  }

  /** Notes a request for the server of an order in `creating`. */
  note(id: string, token: string, limits: { mostCreates?: number; mostPerHour?: number } = {}) {
    const note = { id, token, userDataSha256: 'digest', leaseSeconds: LEASE_SECONDS }
    const most = { mostCreates: 3, mostPerHour: 1000, ...limits }
    return this.storage.transaction(({ provisioning }) =>
      provisioning.noteCreate({ ...note, ...most }, this.clock.now()),
    )
  }
}
