import { type Storage, systemClock } from '@svc/core'
import { PENDING_SECONDS, type Proof } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildUser } from '../users/build-user.ts'

const AT_ONCE = 8

/** Contract suite of stores of second factors. */
export function secondFactorsStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`second factors store on ${name}`, () => {
    const storage = openedStorage(open)
    const factors = () => storage().secondFactors

    async function scene() {
      const clock = new FakeClock()
      const userId = (await storage().users.add(buildUser(), clock.now()))?.id ?? ''
      const session = async () => {
        const digest = buildId('digest')
        await storage().sessions.open({ digest, userId }, clock.now())
        return digest
      }
      const isLive = async (digest: string) =>
        (await storage().sessions.use(digest, clock.now())) !== undefined
      return { clock, userId, session, isLive }
    }

    /** Makes a user with a confirmed second factor, whose last used step is 10, and two recovery codes. */
    async function confirmedScene() {
      const made = await scene()
      const { userId, clock } = made
      await factors().begin(userId, 'SECRET', clock.now())
      const confirmation = { userId, secret: 'SECRET', step: 10, recovery: ['one', 'two'], keptSession: '' }
      expect(await factors().confirm(confirmation, clock.now())).toBe(true)
      return { ...made, confirmation }
    }
    const step = (at: number, secret = 'SECRET'): Proof => ({ secret, step: at })
    const recovery = (digest: string, secret = 'SECRET'): Proof => ({ secret, recovery: digest })
    const passes = (all: readonly boolean[]) => all.filter((each) => each).length

    it('a user has none at first, and passes without a proof; so does nobody', async () => {
      const { userId, clock } = await scene()
      expect(await factors().find(userId, clock.now())).toEqual({ at: clock.now(), factor: undefined })
      expect(await factors().spend(userId, undefined)).toBe(true)
      expect(await factors().spend('', undefined)).toBe(true)
      expect(await factors().confirmed()).not.toContain(userId)
    })

    it('without an instant of the caller the time is that of the storage', async () => {
      const { at } = await factors().find('nobody')
      expect(Math.abs(at.getTime() - systemClock.now().getTime())).toBeLessThan(60_000)
    })

    it('one that waits is replaced by the next, counts for nothing and ends after ten minutes', async () => {
      const { userId, clock } = await scene()
      const waiting = { confirmedAt: undefined, lastStep: 0, recovery: [] }
      for (const secret of ['FIRST', 'SECOND']) {
        expect(await factors().begin(userId, secret, clock.now())).toBe(true)
        expect((await factors().find(userId, clock.now())).factor).toEqual({ ...waiting, secret })
      }
      expect(await factors().spend(userId, undefined)).toBe(true)
      expect(await factors().remove(userId, step(1, 'SECOND'))).toBe(false)
      expect(await factors().confirmed()).not.toContain(userId)
      const last = clock.advance({ seconds: PENDING_SECONDS - 1 })
      expect((await factors().find(userId, last)).factor).toBeDefined()
      const over = clock.advance({ seconds: 1 })
      expect((await factors().find(userId, over)).factor).toBeUndefined()
      const confirmation = { userId, secret: 'SECOND', step: 1, recovery: [], keptSession: '' }
      expect(await factors().confirm(confirmation, over)).toBe(false)
      expect(await factors().confirm(confirmation, last)).toBe(true)
    })

    it('is confirmed once, and not when another has taken its place', async () => {
      const { userId, clock, confirmation } = await confirmedScene()
      expect(await factors().confirm({ ...confirmation, step: 11 }, clock.now())).toBe(false)
      expect(await factors().begin(userId, 'OTHER', clock.now())).toBe(false)
      const found = { secret: 'SECRET', confirmedAt: clock.now(), lastStep: 10, recovery: ['one', 'two'] }
      expect((await factors().find(userId, clock.advance({ hours: 1 }))).factor).toEqual(found)
      expect(await factors().confirmed()).toContain(userId)
      const other = await scene()
      await factors().begin(other.userId, 'NEW', other.clock.now())
      const stale = { ...confirmation, userId: other.userId, secret: 'OLD' }
      expect(await factors().confirm(stale, other.clock.now())).toBe(false)
    })

    it('confirming ends the other sessions of the user, and of nobody else', async () => {
      const { userId, clock, session, isLive } = await scene()
      const stranger = await scene()
      const [kept, other, foreign] = [await session(), await session(), await stranger.session()]
      await factors().begin(userId, 'SECRET', clock.now())
      const confirmation = { userId, secret: 'OLD', step: 10, recovery: [], keptSession: kept }
      await factors().confirm(confirmation, clock.now())
      expect(await isLive(other)).toBe(true)
      await factors().confirm({ ...confirmation, secret: 'SECRET' }, clock.now())
      expect([await isLive(kept), await isLive(other)]).toEqual([true, false])
      expect(await stranger.isLive(foreign)).toBe(true)
    })

    it('a code counts when it is later than the last, whoever else has it; no proof and another secret never do', async () => {
      const { userId } = await confirmedScene()
      expect(await factors().spend(userId, undefined)).toBe(false)
      expect(await factors().spend(userId, step(10))).toBe(false)
      expect(await factors().spend(userId, step(12, 'OTHER'))).toBe(false)
      expect(await factors().spend(userId, step(12))).toBe(true)
      expect(await factors().spend(userId, step(12))).toBe(false)
      expect(await factors().spend(userId, step(11))).toBe(false)
      expect((await factors().find(userId)).factor).toMatchObject({ lastStep: 12, recovery: ['one', 'two'] })
    })

    it('a recovery code counts once, and leaves the others and the last code', async () => {
      const { userId } = await confirmedScene()
      expect(await factors().spend(userId, recovery('three'))).toBe(false)
      expect(await factors().spend(userId, recovery('one', 'OTHER'))).toBe(false)
      expect(await factors().spend(userId, recovery('one'))).toBe(true)
      expect(await factors().spend(userId, recovery('one'))).toBe(false)
      expect((await factors().find(userId)).factor).toMatchObject({ lastStep: 10, recovery: ['two'] })
    })

    it.each([
      ['code', step(11)],
      ['recovery code', recovery('two')],
    ])(`of ${AT_ONCE} who bring the same %s at once one passes`, async (_what, proof) => {
      const { userId } = await confirmedScene()
      const all = Array.from({ length: AT_ONCE }, () => factors().spend(userId, proof))
      expect(passes(await Promise.all(all))).toBe(1)
    })

    it('of those who bring different recovery codes at once all pass whose code is there', async () => {
      const { userId } = await confirmedScene()
      const all = ['one', 'two', 'three'].map((digest) => factors().spend(userId, recovery(digest)))
      expect(await Promise.all(all)).toEqual([true, true, false])
      expect((await factors().find(userId)).factor?.recovery).toEqual([])
    })

    it('is taken away by whoever proves it, once', async () => {
      const { userId, clock } = await confirmedScene()
      for (const proof of [step(10), step(11, 'OTHER'), recovery('three')]) {
        expect(await factors().remove(userId, proof)).toBe(false)
      }
      const all = [step(11), recovery('one')].map((proof) => factors().remove(userId, proof))
      expect(passes(await Promise.all(all))).toBe(1)
      expect((await factors().find(userId)).factor).toBeUndefined()
      expect(await factors().spend(userId, undefined)).toBe(true)
      expect(await factors().begin(userId, 'NEXT', clock.now())).toBe(true)
    })

    it('a session is backed by a confirmed one of its user, or by the operator who opened it', async () => {
      const { userId, clock, session } = await scene()
      const stranger = await confirmedScene()
      const [own, minted] = [await session(), buildId('digest')]
      await storage().sessions.open({ digest: minted, userId, minted: true }, clock.now())
      const backed = async () => [await factors().backs(userId, own), await factors().backs(userId, minted)]
      await factors().begin(userId, 'SECRET', clock.now())
      expect(await backed()).toEqual([false, true])
      expect(await factors().backs(stranger.userId, own)).toBe(true)
      expect(await factors().backs((await scene()).userId, minted)).toBe(false)
      const confirmation = { userId, secret: 'SECRET', step: 10, recovery: [], keptSession: own }
      await factors().confirm(confirmation, clock.now())
      expect(await backed()).toEqual([true, true])
      await factors().remove(userId, step(11))
      expect(await backed()).toEqual([false, true])
    })

    it('a reset takes it away in any state, ends every session, and may be repeated', async () => {
      const { userId, clock, session, isLive } = await confirmedScene()
      const stranger = await confirmedScene()
      const open = [await session(), await session()]
      expect(await factors().reset(userId, clock.now())).toEqual({ removed: true, ended: 2 })
      expect(await factors().reset(userId, clock.now())).toEqual({ removed: false, ended: 0 })
      for (const each of open) expect(await isLive(each)).toBe(false)
      expect(await factors().spend(userId, undefined)).toBe(true)
      expect(await factors().spend(stranger.userId, undefined)).toBe(false)
      await factors().begin(userId, 'WAITING', clock.now())
      expect((await factors().reset(userId, clock.now())).removed).toBe(true)
    })
  })
}
