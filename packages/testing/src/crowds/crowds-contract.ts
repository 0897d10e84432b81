import type { Storage } from '@svc/core'
import { openedStorage } from '../opened-storage.ts'
import { beforeEach, describe } from '../runner.ts'
import { Random } from '../simulator/random.ts'
import { claimsContract } from './contract-claims.ts'
import { CrowdScene } from './contract-crowd.ts'
import { hostsContract } from './contract-hosts.ts'
import { writersContract } from './contract-writers.ts'

/**
 * Contract suite of requests that arrive at the same time, which storage may run as one batch: each is
 * answered as if it had come alone. `seed` decides their order.
 */
export function crowdsContract(name: string, open: () => Promise<Storage>, seed = 1): void {
  describe(`crowds on ${name}, in the order of seed ${seed}`, () => {
    const storage = openedStorage(open)
    let scene: CrowdScene
    beforeEach(() => {
      scene = new CrowdScene(storage(), new Random(seed))
    })
    const here = () => scene
    describe('keys and hosts', () => hostsContract(here))
    describe('claims', () => claimsContract(here))
    describe('reports and logs', () => writersContract(here))
  })
}
