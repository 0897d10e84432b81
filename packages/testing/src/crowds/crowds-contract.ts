import { beforeEach, describe } from '@jest/globals'
import type { Storage } from '@svc/core'
import { openedStorage } from '../opened-storage.ts'
import { Random } from '../simulator/random.ts'
import { claimsContract } from './contract-claims.ts'
import { CrowdScene } from './contract-crowd.ts'
import { hostsContract } from './contract-hosts.ts'
import { writersContract } from './contract-writers.ts'

/**
 * Requests that arrive together may travel together. Each is answered as if it had come alone, in whatever
 * order they come: `seed` decides it.
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
