import type { Clock } from '@svc/core'
import type { ProvisioningStore } from '@svc/core/ports'
import { LEASE_SECONDS } from '../provisioning-scene.ts'

/** Watches that an order which a worker has taken is given to no other until the lease is over. */
export class ClaimWatch {
  /** The first order that two workers had at once. */
  fault: string | undefined
  readonly #clock: Clock
  readonly #taken = new Map<string, Date>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns the store, watched. */
  over(store: ProvisioningStore): ProvisioningStore {
    const watched: Pick<ProvisioningStore, 'take' | 'move'> = {
      take: async (claim, now) => {
        const order = await store.take(claim, now)
        if (order !== undefined) this.#took(claim.id)
        return order
      },
      move: async (move, now) => {
        const order = await store.move(move, now)
        if (order !== undefined) this.#taken.delete(move.id)
        return order
      },
    }
    return new Proxy(store, {
      get: (target, name) => Reflect.get(watched, name) ?? Reflect.get(target, name),
    })
  }

  #took(id: string): void {
    const now = this.#clock.now()
    const before = this.#taken.get(id)
    if (before !== undefined && now.getTime() - before.getTime() < LEASE_SECONDS * 1000)
      this.fault ??= `two workers had ${id} at once`
    this.#taken.set(id, now)
  }
}
