import type { Storage } from '@svc/core'
import { IDLE_SECONDS } from '@svc/core/adapters'
import { SESSION_SECONDS, secretDigest, sessionPublicId } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildUser } from '../users/build-user.ts'

const DAY_MS = 86_400_000

interface Opened {
  readonly digest: string
  readonly at: Date
}

/** Contract suite of stores of sessions. */
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

    /** Makes three sessions of one user, created a minute apart. */
    async function three() {
      const clock = new FakeClock()
      const user = buildUser()
      await storage().users.add(user, clock.now())
      const opened: Opened[] = []
      for (const _ of [1, 2, 3]) {
        const at = clock.advance({ seconds: 60 })
        const digest = secretDigest(buildId('session'))
        await sessions().open({ digest, userId: user.id }, at)
        opened.push({ digest, at })
      }
      return { clock, user, opened: opened as [Opened, Opened, Opened] }
    }

    it('a session speaks for its user and ends at the latest after twelve hours', async () => {
      const { clock, user, digest, expires } = await scene()
      expect(expires.getTime()).toBe(clock.now().getTime() + SESSION_SECONDS * 1000)
      expect(await sessions().use(digest, clock.now())).toEqual({ user, minted: false })
    })

    it('a session says whether an operator opened it', async () => {
      const { clock, user } = await scene()
      const digest = buildId('digest')
      await sessions().open({ digest, userId: user?.id ?? '', minted: true }, clock.now())
      expect(await sessions().use(digest, clock.now())).toEqual({ user, minted: true })
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
      expect((await sessions().use(digest, clock.now()))?.user.role).toBe('viewer')
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
      expect((await sessions().use(other.digest, other.clock.now()))?.user).toEqual(other.user)
    })

    it('the live sessions of a user are listed, the newest first, with their last use and their end', async () => {
      const { clock, user, opened } = await three()
      const [first, second, third] = opened
      const used = clock.advance({ seconds: 90 })
      await sessions().use(first.digest, used)
      const shown = ({ digest, at }: Opened, lastUsedAt = at) => ({
        id: sessionPublicId(digest),
        createdAt: at,
        lastUsedAt,
        expiresAt: new Date(at.getTime() + SESSION_SECONDS * 1000),
      })
      expect(await sessions().live(user.id, used)).toEqual([shown(third), shown(second), shown(first, used)])
      expect(await sessions().live('nobody', used)).toEqual([])
    })

    it('a session that is revoked, idle or over is listed no more', async () => {
      const { clock, user, opened } = await three()
      const [first, second, third] = opened
      const listed = async () => (await sessions().live(user.id, clock.now())).map(({ id }) => id)
      await sessions().revoke(second.digest, clock.now())
      expect(await listed()).toEqual([third, first].map(({ digest }) => sessionPublicId(digest)))
      clock.advance({ seconds: IDLE_SECONDS - 180 })
      await sessions().use(first.digest, clock.now())
      clock.advance({ seconds: 180 })
      expect(await listed()).toEqual([sessionPublicId(first.digest)])
      while (clock.now().getTime() < first.at.getTime() + SESSION_SECONDS * 1000) {
        expect(await listed()).toHaveLength(1)
        await sessions().use(first.digest, clock.now())
        clock.advance({ seconds: IDLE_SECONDS / 2 })
      }
      expect(await listed()).toEqual([])
    })

    it('one session ends by its public id: live, of this user, and not the one that is kept', async () => {
      const { clock, user, opened } = await three()
      const [first, second, third] = opened
      const stranger = await three()
      const end = (digest: string, kept = third.digest) =>
        sessions().revokeOthers({ userId: user.id, kept, id: sessionPublicId(digest) }, clock.now())
      expect(await end(stranger.opened[0].digest)).toBe(0)
      expect(await end(third.digest)).toBe(0)
      expect(await end(first.digest)).toBe(1)
      expect(await end(first.digest)).toBe(0)
      const live = async (digest: string) => (await sessions().use(digest, clock.now())) !== undefined
      expect(await live(first.digest)).toBe(false)
      expect([await live(second.digest), await live(third.digest)]).toEqual([true, true])
      expect(await sessions().use(stranger.opened[0].digest, stranger.clock.now())).toBeDefined()
      clock.advance({ seconds: IDLE_SECONDS })
      expect(await end(second.digest)).toBe(0)
    })

    it('one whose time is over is forgotten when it has been kept long enough, and its digest is free again', async () => {
      const { clock, user, digest, expires } = await scene()
      const userId = user?.id ?? ''
      await sessions().revoke(digest, clock.now())
      const younger = buildId('digest')
      await sessions().open({ digest: younger, userId }, clock.advance({ seconds: 60 }))
      const kept = new Date(expires.getTime() + 30 * DAY_MS)
      await sessions().purge(30, kept)
      await expect(sessions().open({ digest, userId }, kept)).rejects.toThrow()
      expect(await sessions().purge(30, new Date(kept.getTime() + 1))).toBeGreaterThanOrEqual(1)
      await sessions().open({ digest, userId }, kept)
      await expect(sessions().open({ digest: younger, userId }, kept)).rejects.toThrow()
    })

    it('all sessions of a user but one end at once and are counted; those of others go on', async () => {
      const { clock, user, opened } = await three()
      const [first, second, third] = opened
      const stranger = await three()
      await sessions().revoke(second.digest, clock.now())
      const all = { userId: user.id, kept: third.digest, id: undefined }
      expect(await sessions().revokeOthers(all, clock.now())).toBe(1)
      expect(await sessions().revokeOthers(all, clock.now())).toBe(0)
      expect(await sessions().use(first.digest, clock.now())).toBeUndefined()
      expect((await sessions().live(user.id, clock.now())).map(({ id }) => id)).toEqual([
        sessionPublicId(third.digest),
      ])
      expect(await sessions().live(stranger.user.id, stranger.clock.now())).toHaveLength(3)
    })
  })
}
