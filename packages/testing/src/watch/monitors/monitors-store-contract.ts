import type { Storage } from '@svc/core'
import { openedStorage } from '../../opened-storage.ts'
import { describe } from '../../runner.ts'
import { monitorDefinitions } from './contract-definitions.ts'
import { monitorRuns } from './contract-runs.ts'
import { MonitorsScene } from './monitors-scene.ts'

/** Contract suite of stores of monitors. */
export function monitorsStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`monitors store on ${name}`, () => {
    const scene = new MonitorsScene(openedStorage(open))
    monitorDefinitions(scene)
    monitorRuns(scene)
  })
}
