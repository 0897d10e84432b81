import type { Storage } from '@svc/core'
import { TOUCH_SECONDS } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildTenant } from '../tenants/build-tenant.ts'
import { buildApiToken } from './build-api-token.ts'

const DAY_MS = 86_400_000

/** Contract suite of stores of API tokens. */
export function apiTokensStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`API tokens store on ${name}`, () => {
    const storage = openedStorage(open)
    const tokens = () => storage().apiTokens
    const listed = async (id: string) => (await tokens().list()).find((each) => each.id === id)

    async function scene(fields: Parameters<typeof buildApiToken>[0] = {}) {
      const clock = new FakeClock()
      const made = buildApiToken(fields)
      const token = await tokens().add(made, clock.now())
      return { clock, made, token }
    }

    it('keeps everything that a token is made of, but never shows its digest', async () => {
      const tenant = await storage().tenants.add(buildTenant())
      const expiresAt = new Date('2031-02-03T04:05:06.789Z')
      const fields = { role: 'developer', tenantId: tenant?.id, label: 'Söder & Co', expiresAt } as const
      const { clock, made, token } = await scene(fields as Parameters<typeof buildApiToken>[0])
      const { digest, ...kept } = made
      const expected = { ...kept, createdAt: clock.now(), lastUsedAt: undefined }
      expect(token).toEqual(expected)
      expect(await listed(made.id)).toEqual(expected)
      expect(await tokens().use(digest, clock.now())).toEqual(expected)
    })

    it('a token may be of no tenant and without an end', async () => {
      const { clock, made } = await scene()
      expect(await tokens().use(made.digest, clock.advance({ days: 4000 }))).toMatchObject({
        role: 'viewer',
        tenantId: undefined,
        expiresAt: undefined,
      })
    })

    it('an unknown digest and an unknown id are none', async () => {
      expect(await tokens().use('0'.repeat(64))).toBeUndefined()
      expect(await tokens().revoke(buildId('tkn'))).toBeUndefined()
    })

    it('a digest and an id are given once, and a tenant must exist', async () => {
      const { made } = await scene()
      await expect(tokens().add(buildApiToken({ digest: made.digest }))).rejects.toThrow()
      await expect(tokens().add(buildApiToken({ id: made.id, digest: 'other' }))).rejects.toThrow()
      const nobodys = { role: 'owner', tenantId: buildId('ten') } as Parameters<typeof buildApiToken>[0]
      await expect(tokens().add(buildApiToken(nobodys))).rejects.toThrow()
    })

    it('a use is recorded, and the next one when the first is more than a minute old', async () => {
      const { clock, made } = await scene()
      const first = clock.advance({ seconds: 5 })
      await tokens().use(made.digest, first)
      expect((await listed(made.id))?.lastUsedAt).toEqual(first)
      await tokens().use(made.digest, clock.advance({ seconds: TOUCH_SECONDS }))
      expect((await listed(made.id))?.lastUsedAt).toEqual(first)
      const next = clock.advance(1)
      await tokens().use(made.digest, next)
      expect((await listed(made.id))?.lastUsedAt).toEqual(next)
    })

    it('is good until the instant it expires, not at it, and stays listed', async () => {
      const expiresAt = new FakeClock().advance({ hours: 1 })
      const { made } = await scene({ expiresAt })
      expect(await tokens().use(made.digest, new Date(expiresAt.getTime() - 1))).toBeDefined()
      const used = (await listed(made.id))?.lastUsedAt
      expect(await tokens().use(made.digest, expiresAt)).toBeUndefined()
      expect(await listed(made.id)).toMatchObject({ expiresAt, lastUsedAt: used })
    })

    it('a revoked one is over at once, is listed no more, and is revoked once', async () => {
      const { clock, made, token } = await scene()
      const other = await scene()
      expect(await tokens().revoke(made.id, clock.now())).toEqual(token)
      expect(await tokens().use(made.digest, clock.now())).toBeUndefined()
      expect(await listed(made.id)).toBeUndefined()
      expect(await tokens().revoke(made.id, clock.now())).toBeUndefined()
      expect(await tokens().use(other.made.digest, clock.now())).toEqual(other.token)
    })

    it('lists in the order of their making', async () => {
      const made = [buildApiToken(), buildApiToken(), buildApiToken()]
      for (const token of [...made].reverse()) await tokens().add(token)
      const ids = made.map(({ id }) => id)
      const found = (await tokens().list()).map(({ id }) => id)
      expect(found.filter((id) => ids.includes(id))).toEqual(ids)
    })

    it('one that ended is forgotten when it has been kept long enough; others stay', async () => {
      const start = new FakeClock().now()
      const [revoked, expired, good] = [
        await scene(),
        await scene({ expiresAt: new Date(start.getTime() + 60_000) }),
        await scene(),
      ]
      await tokens().revoke(revoked.made.id, start)
      const again = ({ made }: typeof good) => tokens().add(made, start)
      await tokens().purge(30, new Date(start.getTime() + 30 * DAY_MS))
      await expect(again(revoked)).rejects.toThrow()
      expect(await tokens().purge(30, new Date(start.getTime() + 30 * DAY_MS + 1))).toBeGreaterThanOrEqual(1)
      await again(revoked)
      await expect(again(expired)).rejects.toThrow()
      await tokens().purge(30, new Date(start.getTime() + 30 * DAY_MS + 60_001))
      await again(expired)
      expect(await listed(good.made.id)).toEqual(good.token)
    })

    it('without an instant the database’s clock counts', async () => {
      const { now } = await storage().health()
      const inTime = (seconds: number) => new Date(now.getTime() + seconds * 1000)
      const [good, over] = [
        buildApiToken({ expiresAt: inTime(60) }),
        buildApiToken({ expiresAt: inTime(-60) }),
      ]
      const { createdAt } = await tokens().add(good)
      await tokens().add(over)
      expect(Math.abs(createdAt.getTime() - now.getTime())).toBeLessThan(60_000)
      expect(await tokens().use(good.digest)).toBeDefined()
      expect(await tokens().use(over.digest)).toBeUndefined()
      const lastUsedAt = (await listed(good.id))?.lastUsedAt
      expect(Math.abs(Number(lastUsedAt) - now.getTime())).toBeLessThan(60_000)
    })
  })
}
