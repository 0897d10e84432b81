import { describe, expect, it } from '@jest/globals'
import { IDLE_SECONDS, SESSION_SECONDS, type Storage } from '@svc/core'
import { buildId } from '../build-id.ts'
import { FakeClock } from '../fake-clock.ts'
import { openedStorage } from '../opened-storage.ts'
import { buildUser } from '../users/build-user.ts'

/** What keeps sessions must do. */
export function sessionsStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`sessions store on ${name}`, () => {
    const storage = openedStorage(open)
    const sessions = () => storage().sessions

    async function scene() {
      const clock = new FakeClock()
      const user = await storage().users.add(buildUser(), clock.now())
      const digest = buildId('digest')
      const expires = await sessions().open({ digest, userId: user?.id ?? '' }, clock.now())
      return { clock, user, digest, expires }
    }

    it('a session speaks for its user and ends at the latest after twelve hours', async () => {
      const { clock, user, digest, expires } = await scene()
      expect(expires.getTime()).toBe(clock.now().getTime() + SESSION_SECONDS * 1000)
      expect(await sessions().use(digest, clock.now())).toEqual(user)
    })

    it('an unknown digest is nobody', async () => {
      expect(await sessions().use('unknown')).toBeUndefined()
    })

    it('a session lives while it is used, up to its end and not a moment longer', async () => {
      const { clock, digest, expires } = await scene()
      while (clock.now().getTime() < expires.getTime() - IDLE_SECONDS * 1000) {
        clock.advance({ seconds: IDLE_SECONDS - 1 })
        expect(await sessions().use(digest, clock.now())).toBeDefined()
      }
      const left = expires.getTime() - clock.now().getTime()
      expect(await sessions().use(digest, clock.advance(left - 1))).toBeDefined()
      expect(await sessions().use(digest, clock.advance(1))).toBeUndefined()
    })

    it('a session that is not used for two hours is over', async () => {
      const { clock, digest } = await scene()
      expect(await sessions().use(digest, clock.advance({ seconds: IDLE_SECONDS }))).toBeUndefined()
    })

    it('a role counts as it is, not as it was at sign-in', async () => {
      const { clock, digest, user } = await scene()
      await storage().users.change(user?.id ?? '', { role: 'viewer' })
      expect((await sessions().use(digest, clock.now()))?.role).toBe('viewer')
    })

    it('a revoked session is over, and revoking again changes nothing', async () => {
      const { clock, digest } = await scene()
      await sessions().revoke(digest, clock.now())
      await sessions().revoke(digest, clock.now())
      expect(await sessions().use(digest, clock.now())).toBeUndefined()
    })

    it('all sessions of a user end at once and are counted; others go on', async () => {
      const { clock, digest, user } = await scene()
      const other = await scene()
      const second = buildId('digest')
      await sessions().open({ digest: second, userId: user?.id ?? '' }, clock.now())
      expect(await sessions().revokeAll(user?.id ?? '', clock.now())).toBe(2)
      expect(await sessions().revokeAll(user?.id ?? '', clock.now())).toBe(0)
      expect(await sessions().use(digest, clock.now())).toBeUndefined()
      expect(await sessions().use(second, clock.now())).toBeUndefined()
      expect(await sessions().use(other.digest, other.clock.now())).toEqual(other.user)
    })
  })
}
