import type { Storage } from '@svc/core'
import { openedStorage } from '../../opened-storage.ts'
import { beforeEach, describe } from '../../runner.ts'
import { cancelContract } from './contract-cancel.ts'
import { claimContract } from './contract-claim.ts'
import { claimKeyContract } from './contract-claim-key.ts'
import { databaseClockContract } from './contract-database-clock.ts'
import { enqueueContract } from './contract-enqueue.ts'
import { fencingContract } from './contract-fencing.ts'
import { followContract } from './contract-follow.ts'
import { kindsContract } from './contract-kinds.ts'
import { leaseContract } from './contract-lease.ts'
import { logWritersContract } from './contract-log-writers.ts'
import { logsContract } from './contract-logs.ts'
import { passingContract } from './contract-passing.ts'
import { readsContract } from './contract-reads.ts'
import { reportContract } from './contract-report.ts'
import { serialContract } from './contract-serial.ts'
import { supersedeContract } from './contract-supersede.ts'
import { sweepContract } from './contract-sweep.ts'
import { upcomingContract } from './contract-upcoming.ts'
import { JobsScene } from './jobs-scene.ts'

/**
 * Contract suite that every queue must pass (docs/agents.md, Jobs). The suite disposes the storage that
 * `open` returns.
 */
export function jobsStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`jobs store on ${name}`, () => {
    const storage = openedStorage(open)
    let scene: JobsScene
    beforeEach(() => {
      scene = new JobsScene(storage())
    })
    const here = () => scene
    describe('enqueue', () => enqueueContract(here))
    describe('claim', () => claimContract(here))
    describe('claim key', () => claimKeyContract(here))
    describe('kinds', () => kindsContract(here))
    describe('upcoming', () => upcomingContract(here))
    describe('lease', () => leaseContract(here))
    describe('report', () => reportContract(here))
    describe('cancel', () => cancelContract(here))
    describe('supersede', () => supersedeContract(here))
    describe('further hosts', () => followContract(here))
    describe('sweep', () => sweepContract(here))
    describe('serial key', () => serialContract(here))
    describe('serial key of what nobody runs', () => passingContract(here))
    describe('reads', () => readsContract(here))
    describe('the database’s own clock', () => databaseClockContract(here))
    describe.each([false, true])('jobs that are held, begun: %s', (isBegun) => {
      beforeEach(() => {
        scene = new JobsScene(storage(), isBegun)
      })
      describe('fencing', () => fencingContract(here))
      describe('logs', () => logsContract(here))
      describe('log writers', () => logWritersContract(here))
    })
  })
}
