import type { Storage } from '@svc/core'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'

/** Contract suite of stores of periodic tasks, which start each task once a period. */
export function schedulerStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`scheduler store on ${name}`, () => {
    const storage = openedStorage(open)
    const scheduler = () => storage().scheduler

    it('a task is begun once a period, and again from its end on', async () => {
      const [clock, task] = [new FakeClock(), buildId('task')]
      expect(await scheduler().begin(task, 60, clock.now())).toBe(true)
      clock.advance({ seconds: 60, ms: -1 })
      expect(await scheduler().begin(task, 60, clock.now())).toBe(false)
      clock.advance({ ms: 1 })
      expect(await scheduler().begin(task, 60, clock.now())).toBe(true)
      expect(await scheduler().lastBegun(task)).toEqual(clock.now())
    })

    it('of many who ask at once one begins', async () => {
      const [clock, task] = [new FakeClock(), buildId('task')]
      const asked = Array.from({ length: 8 }, () => scheduler().begin(task, 60, clock.now()))
      expect((await Promise.all(asked)).filter((began) => began)).toHaveLength(1)
    })

    it('a task that was reopened does not wait for the end of its period', async () => {
      const [clock, task] = [new FakeClock(), buildId('task')]
      await scheduler().begin(task, 3600, clock.now())
      await scheduler().reopen(task)
      expect(await scheduler().begin(task, 3600, clock.now())).toBe(true)
    })

    it('tasks do not hold each other up', async () => {
      const clock = new FakeClock()
      expect(await scheduler().begin(buildId('task'), 60, clock.now())).toBe(true)
      expect(await scheduler().begin(buildId('task'), 60, clock.now())).toBe(true)
    })

    it('a task that never began has no instant', async () => {
      expect(await scheduler().lastBegun(buildId('task'))).toBeUndefined()
    })

    it('without an instant the database’s clock counts', async () => {
      const task = buildId('task')
      const { now } = await storage().health()
      expect(await scheduler().begin(task, 60)).toBe(true)
      expect(await scheduler().begin(task, 60)).toBe(false)
      const begun = (await scheduler().lastBegun(task))?.getTime() ?? 0
      expect(Math.abs(begun - now.getTime())).toBeLessThan(60_000)
    })
  })
}
