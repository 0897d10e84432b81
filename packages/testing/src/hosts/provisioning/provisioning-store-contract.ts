import type { Storage } from '@svc/core'
import { openedStorage } from '../../opened-storage.ts'
import { describe } from '../../runner.ts'
import { provisioningMoney } from './contract-money.ts'
import { orderMoves } from './contract-orders.ts'
import { ProvisioningScene } from './provisioning-scene.ts'

/** Contract suite of stores of orders for servers. */
export function provisioningStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`provisioning store on ${name}`, () => {
    const storage = openedStorage(open)
    const scene = () => new ProvisioningScene(storage)
    describe('orders', () => orderMoves(scene))
    describe('money', () => provisioningMoney(scene))
  })
}
