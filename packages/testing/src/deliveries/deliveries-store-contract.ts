import { describe, expect, it } from '@jest/globals'
import type { Storage } from '@svc/core'
import { buildId } from '../build-id.ts'
import { FakeClock } from '../fake-clock.ts'
import { openedStorage } from '../opened-storage.ts'

const LEASE_SECONDS = 60
const ENDED = { delaySeconds: 0, status: undefined, error: undefined }

/** Contract suite of the outbox: one holder at a time, and nothing that is due is lost. */
export function deliveriesStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`deliveries store on ${name}`, () => {
    const storage = openedStorage(open)
    const deliveries = () => storage().deliveries

    /** Makes a kind of its own, so that no other test takes its deliveries. */
    function scene() {
      const clock = new FakeClock()
      const target = { kind: buildId('kind'), recipient: buildId('rcp') }
      const add = async (id = buildId('msg')) => {
        await deliveries().add({ id, ...target }, clock.now())
        return id
      }
      const take = async ({ kinds = [target.kind], limit = 10 } = {}) => {
        const request = { kinds, token: buildId('tok'), leaseSeconds: LEASE_SECONDS, limit }
        return { token: request.token, taken: await deliveries().takeDue(request, clock.now()) }
      }
      return { clock, target, add, take }
    }

    it('what was added is due at once, and is taken with what its sender knows it by', async () => {
      const { target, add, take, clock } = scene()
      const id = await add()
      expect((await take()).taken).toEqual([{ id, ...target, attempts: 1, createdAt: clock.now() }])
    })

    it('an id that is taken is refused', async () => {
      const { add } = scene()
      const id = await add()
      await expect(add(id)).rejects.toThrow()
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

    it('a sender takes its own kinds alone', async () => {
      const { add, take } = scene()
      await add()
      expect((await take({ kinds: [buildId('kind')] })).taken).toEqual([])
      expect((await take({ kinds: [] })).taken).toEqual([])
      expect((await take()).taken).toHaveLength(1)
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
      await add('msg_b_'.concat(target.kind))
      await add('msg_a_'.concat(target.kind))
      expect((await deliveries().latest(target))?.id).toBe(`msg_b_${target.kind}`)
      expect(await deliveries().latest({ ...target, recipient: 'nobody' })).toBeUndefined()
      expect(await deliveries().latest({ ...target, kind: 'nothing' })).toBeUndefined()
    })

    it('a purge removes what is over and old, of the kinds that it names', async () => {
      const { clock, target, add, take } = scene()
      const over = await add()
      const { token } = await take()
      await deliveries().settle({ id: over, token, state: 'sent', ...ENDED }, clock.now())
      const waiting = await add()
      clock.advance({ days: 7 })
      expect(await deliveries().purge([target.kind], 7, clock.now())).toBe(0)
      const later = clock.advance(1)
      expect(await deliveries().purge([buildId('kind')], 7, later)).toBe(0)
      expect(await deliveries().purge([target.kind], 7, later)).toBe(1)
      expect((await take()).taken).toMatchObject([{ id: waiting }])
    })
  })
}
