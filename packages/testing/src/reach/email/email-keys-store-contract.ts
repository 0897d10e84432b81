import { ofLicense, PLATFORM, type Storage } from '@svc/core'
import { type NewEmailKey, TOUCH_SECONDS } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildEmailDomain } from './build-email-domain.ts'
import { buildEmailKey } from './build-email-message.ts'

const LIMIT = 3
const DAY_MS = 86_400_000

/** Contract suite of stores of sending keys. */
export function emailKeysStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`email keys store on ${name}`, () => {
    const storage = openedStorage(open)
    const keys = () => storage().emailKeys
    const scene = async (fields: Partial<NewEmailKey> = {}) => {
      const clock = new FakeClock()
      const made = buildEmailKey(fields)
      const key = await keys().add(made, LIMIT, clock.now())
      if (key === undefined) throw new Error('no room')
      return { clock, made, key }
    }

    it('keeps what it was given, without the digest, and gives it to who has the digest', async () => {
      const domain = buildEmailDomain()
      await storage().emailDomains.add(domain, LIMIT)
      const expiresAt = new FakeClock().advance({ hours: 1 })
      const { clock, made, key } = await scene({ domainId: domain.id, expiresAt })
      const { digest, ...kept } = made
      expect(key).toEqual({ ...kept, createdAt: clock.now(), lastUsedAt: undefined })
      expect(await keys().find(PLATFORM, made.id)).toEqual(key)
      expect(await keys().use(digest, clock.now())).toEqual(key)
      expect(await keys().use('0'.repeat(64))).toBeUndefined()
    })

    it('a digest and an id are given once, and a domain must exist', async () => {
      const { made } = await scene()
      const owner = buildId('lic')
      await expect(keys().add(buildEmailKey({ owner, digest: made.digest }), LIMIT)).rejects.toThrow()
      await expect(
        keys().add(buildEmailKey({ owner, id: made.id, digest: 'other' }), LIMIT),
      ).rejects.toThrow()
      await expect(keys().add(buildEmailKey({ owner, domainId: buildId('dom') }), LIMIT)).rejects.toThrow()
    })

    it('an owner has so many, revoked ones not counted', async () => {
      const owner = buildId('lic')
      const { made } = await scene({ owner })
      await scene({ owner })
      await scene({ owner })
      expect(await keys().add(buildEmailKey({ owner }), LIMIT)).toBeUndefined()
      await keys().revoke(made.id)
      expect(await keys().add(buildEmailKey({ owner }), LIMIT)).toBeDefined()
    })

    it('a use is recorded, and the next one when the first is more than a minute old', async () => {
      const { clock, made } = await scene()
      const first = clock.advance({ seconds: 5 })
      await keys().use(made.digest, first)
      await keys().use(made.digest, clock.advance({ seconds: TOUCH_SECONDS }))
      expect((await keys().find(PLATFORM, made.id))?.lastUsedAt).toEqual(first)
      const next = clock.advance(1)
      await keys().use(made.digest, next)
      expect((await keys().find(PLATFORM, made.id))?.lastUsedAt).toEqual(next)
    })

    it('is good until the instant it expires, not at it, and stays listed', async () => {
      const expiresAt = new FakeClock().advance({ hours: 1 })
      const { made } = await scene({ expiresAt })
      expect(await keys().use(made.digest, new Date(expiresAt.getTime() - 1))).toBeDefined()
      expect(await keys().use(made.digest, expiresAt)).toBeUndefined()
      expect(await keys().find(PLATFORM, made.id)).toBeDefined()
    })

    it('a revoked one is over at once, is found no more, and is revoked once', async () => {
      const { clock, made } = await scene()
      expect(await keys().revoke(made.id, clock.now())).toBe(true)
      expect(await keys().use(made.digest, clock.now())).toBeUndefined()
      expect(await keys().find(PLATFORM, made.id)).toBeUndefined()
      expect(await keys().revoke(made.id, clock.now())).toBe(false)
      expect(await keys().revoke(buildId('ek'))).toBe(false)
    })

    it('goes with its domain', async () => {
      const domain = buildEmailDomain()
      await storage().emailDomains.add(domain, LIMIT)
      const { clock, made } = await scene({ domainId: domain.id })
      await storage().emailDomains.remove(domain.id)
      expect(await keys().use(made.digest, clock.now())).toBeUndefined()
    })

    it('lists by id, in pages, of one owner or of all', async () => {
      const owner = buildId('lic')
      const ids = [(await scene({ owner })).made.id, (await scene({ owner })).made.id]
      const listed = await keys().list(ofLicense(owner), { limit: 10 })
      expect(listed.map(({ id }) => id)).toEqual(ids)
      expect(
        (await keys().list(ofLicense(owner), { after: ids[0] ?? '', limit: 10 })).map(({ id }) => id),
      ).toEqual(ids.slice(1))
      expect(await keys().list(ofLicense(owner), { limit: 1 })).toHaveLength(1)
      expect((await keys().list(PLATFORM, { limit: 1000 })).map(({ id }) => id)).toEqual(
        expect.arrayContaining(ids),
      )
    })

    it('one that ended is forgotten when it was kept long enough', async () => {
      const start = new FakeClock().now()
      const { made } = await scene()
      await keys().revoke(made.id, start)
      const again = () => keys().add(made, LIMIT, start)
      await keys().purge(30, new Date(start.getTime() + 30 * DAY_MS))
      await expect(again()).rejects.toThrow()
      expect(await keys().purge(30, new Date(start.getTime() + 30 * DAY_MS + 1))).toBeGreaterThanOrEqual(1)
      expect(await again()).toBeDefined()
    })

    it('without an instant the database’s clock counts', async () => {
      const { now } = await storage().health()
      const added = await keys().add(buildEmailKey({ expiresAt: new Date(now.getTime() + 60_000) }), LIMIT)
      expect(Math.abs(Number(added?.createdAt) - now.getTime())).toBeLessThan(60_000)
      const over = buildEmailKey({ expiresAt: new Date(now.getTime() - 60_000) })
      await keys().add(over, LIMIT)
      expect(await keys().use(over.digest)).toBeUndefined()
    })
  })
}
