import type { Storage } from '@svc/core'
import { buildId } from '../../build-id.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { LEASE_SECONDS, outboxScene } from './outbox-scene.ts'
import { recipientsContract } from './recipients-contract.ts'

const ENDED = { delaySeconds: 0, status: undefined, error: undefined }

/** Contract suite of the outbox: one holder at a time, and nothing that is due is lost. */
export function deliveriesStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`deliveries store on ${name}`, () => {
    const storage = openedStorage(open)
    const deliveries = () => storage().deliveries

    const scene = () => outboxScene(storage())

    it('what was added is due at once, and is taken with what its sender knows it by', async () => {
      const { target, add, take, clock } = scene()
      const id = await add()
      expect((await take()).taken).toEqual([
        { id, ...target, payload: undefined, attempts: 1, isForced: false, createdAt: clock.now() },
      ])
    })

    it('an id that is taken is refused', async () => {
      const { add } = scene()
      const id = await add()
      await expect(add({ id })).rejects.toThrow()
    })

    it('what a transaction adds is gone with the transaction', async () => {
      const { target, take, clock } = scene()
      const work = storage().transaction(async (stores) => {
        await stores.deliveries.add({ id: buildId('msg'), ...target }, clock.now())
        throw new Error('on purpose')
      })
      await expect(work).rejects.toThrow('on purpose')
      expect((await take()).taken).toEqual([])
    })

    it('a sender takes its own kind alone', async () => {
      const { add, take } = scene()
      const other = buildId('kind')
      await add()
      expect((await take({ kind: other })).taken).toEqual([])
      const id = await add({ kind: other })
      expect((await take()).taken).toHaveLength(1)
      expect((await take({ kind: other })).taken).toMatchObject([{ id }])
    })

    it('a delivery keeps what it carries, and how many attempts it gets', async () => {
      const { add, take } = scene()
      await add({ payload: 'msg_1', maxAttempts: 1, isForced: true })
      expect((await take()).taken).toMatchObject([{ payload: 'msg_1', maxAttempts: 1, isForced: true }])
    })

    it('a delivery that is added for later is taken then', async () => {
      const { clock, add, take } = scene()
      const id = await add({ delaySeconds: 90 })
      clock.advance({ seconds: 89 })
      expect((await take()).taken).toEqual([])
      clock.advance({ seconds: 1 })
      expect((await take()).taken).toMatchObject([{ id }])
    })

    it('the longest due come first, no more than were asked for', async () => {
      const { clock, add, take } = scene()
      const ids = []
      for (let made = 0; made < 3; made += 1) {
        ids.push(await add())
        clock.advance({ seconds: 1 })
      }
      expect((await take({ limit: 2 })).taken.map(({ id }) => id)).toEqual(ids.slice(0, 2))
      expect((await take({ limit: 2 })).taken.map(({ id }) => id)).toEqual(ids.slice(2))
    })

    it('what one has taken another does not get until the lease is over', async () => {
      const { clock, add, take } = scene()
      const id = await add()
      const takes = await Promise.all(Array.from({ length: 8 }, () => take()))
      expect(takes.flatMap(({ taken }) => taken)).toHaveLength(1)
      clock.advance({ seconds: LEASE_SECONDS - 1 })
      expect((await take()).taken).toEqual([])
      clock.advance({ seconds: 1 })
      expect((await take()).taken).toMatchObject([{ id, attempts: 2 }])
    })

    it('only who holds the lease settles, and a delivery that is due again waits its time', async () => {
      const { clock, target, add, take } = scene()
      const id = await add()
      const { token } = await take()
      const retry = { id, state: 'due' as const, delaySeconds: 90, status: 503, error: 'status' }
      expect(await deliveries().settle({ ...retry, token: 'another' }, clock.now())).toBe(false)
      expect(await deliveries().settle({ ...retry, token }, clock.now())).toBe(true)
      expect(await deliveries().settle({ ...retry, token }, clock.now())).toBe(false)
      expect(await deliveries().latest(target)).toMatchObject({
        id,
        state: 'due',
        attempts: 1,
        status: 503,
        error: 'status',
        dueAt: new Date(clock.now().getTime() + 90_000),
      })
      clock.advance({ seconds: 89 })
      expect((await take()).taken).toEqual([])
      clock.advance({ seconds: 1 })
      expect((await take()).taken).toMatchObject([{ id, attempts: 2 }])
    })

    it('the holder of a lease that another has taken over settles nothing', async () => {
      const { clock, add, take } = scene()
      const id = await add()
      const { token } = await take()
      clock.advance({ seconds: LEASE_SECONDS })
      const next = await take()
      expect(await deliveries().settle({ id, token, state: 'failed', ...ENDED }, clock.now())).toBe(false)
      expect(await deliveries().settle({ id, token: next.token, state: 'sent', ...ENDED }, clock.now())).toBe(
        true,
      )
    })

    it.each(['sent', 'failed'] as const)('a delivery that is %s is never taken again', async (state) => {
      const { clock, target, add, take } = scene()
      const id = await add()
      const { token } = await take()
      await deliveries().settle({ id, token, state, ...ENDED }, clock.now())
      expect(await deliveries().latest(target)).toMatchObject({ id, state, settledAt: clock.now() })
      clock.advance({ days: 1 })
      expect((await take()).taken).toEqual([])
    })

    it('the latest of a receiver is the one with the last id', async () => {
      const { target, add } = scene()
      await add({ id: `msg_b_${target.kind}` })
      await add({ id: `msg_a_${target.kind}` })
      expect((await deliveries().latest(target))?.id).toBe(`msg_b_${target.kind}`)
      expect(await deliveries().latest({ ...target, recipient: 'nobody' })).toBeUndefined()
      expect(await deliveries().latest({ ...target, kind: 'nothing' })).toBeUndefined()
    })

    it('a purge removes what is over and old, of its kind, as many as asked for', async () => {
      const { clock, target, add, take } = scene()
      for (let over = 0; over < 2; over += 1) {
        const id = await add()
        const { token } = await take()
        await deliveries().settle({ id, token, state: 'sent', ...ENDED }, clock.now())
      }
      const waiting = await add()
      clock.advance({ days: 7 })
      const purge = (kind: string, limit: number) =>
        deliveries().purge(kind, { keepDays: 7, limit }, clock.now())
      expect(await purge(target.kind, 9)).toBe(0)
      clock.advance(1)
      expect(await purge(buildId('kind'), 9)).toBe(0)
      expect([await purge(target.kind, 1), await purge(target.kind, 9)]).toEqual([1, 1])
      expect((await take()).taken).toMatchObject([{ id: waiting }])
    })
  })
  recipientsContract(name, open)
}
