import { describe } from '@jest/globals'
import type { Storage } from '@svc/core'
import { openedStorage } from '../opened-storage.ts'
import { surfaceScansRules } from './contract-surface-scans.ts'
import { surfaceTargetsRules } from './contract-surface-targets.ts'

/** Contract suite of stores of targets, scans and findings of attack surfaces. */
export function surfaceStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`attack surface stores on ${name}`, () => {
    const storage = openedStorage(open)
    surfaceTargetsRules(storage)
    surfaceScansRules(storage)
  })
}
