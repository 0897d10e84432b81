import type { Storage } from '@svc/core'
import { TOUCH_SECONDS } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildBrowserRun, buildBrowserToken } from './build-browser-token.ts'

const DAY_MS = 86_400_000

/** Contract suite of stores of browser tokens and of the work that is done with them. */
export function browserStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`browser store on ${name}`, () => {
    const storage = openedStorage(open)
    const browser = () => storage().browser
    const run = async (id: string) => (await browser().listRuns(10_000)).find((each) => each.id === id)

    async function scene(fields: Parameters<typeof buildBrowserToken>[0] = {}) {
      const clock = new FakeClock()
      const made = buildBrowserToken(fields)
      const token = await browser().addToken(made, clock.now())
      return { clock, made, token }
    }

    it('keeps everything that a token is made of, but never shows its digest', async () => {
      const fields = { licenseId: 'lic_1', label: 'Söder & Co', dailyLimit: 7 }
      const { clock, made, token } = await scene(fields)
      const { digest, ...kept } = made
      const expected = { ...kept, createdAt: clock.now(), lastUsedAt: undefined }
      expect(token).toEqual(expected)
      expect((await browser().listTokens()).find(({ id }) => id === made.id)).toEqual(expected)
      expect(await browser().useToken(digest, clock.now())).toEqual(expected)
      expect(await browser().hasTokens()).toBe(true)
    })

    it('a digest and an id are given once, and a day has room for one call at least', async () => {
      const { made } = await scene()
      await expect(browser().addToken(buildBrowserToken({ digest: made.digest }))).rejects.toThrow()
      await expect(browser().addToken(buildBrowserToken({ id: made.id, digest: 'other' }))).rejects.toThrow()
      await expect(browser().addToken(buildBrowserToken({ dailyLimit: 0 }))).rejects.toThrow()
    })

    it('a use is recorded, and the next one when the first is more than a minute old', async () => {
      const { clock, made } = await scene()
      const used = async () => (await browser().listTokens()).find(({ id }) => id === made.id)?.lastUsedAt
      const first = clock.advance({ seconds: 5 })
      await browser().useToken(made.digest, first)
      await browser().useToken(made.digest, clock.advance({ seconds: TOUCH_SECONDS }))
      expect(await used()).toEqual(first)
      const next = clock.advance(1)
      await browser().useToken(made.digest, next)
      expect(await used()).toEqual(next)
    })

    it('a revoked one is over at once, begins nothing, is listed no more, and is revoked once', async () => {
      const { clock, made, token } = await scene()
      expect(await browser().revokeToken(made.id, clock.now())).toEqual(token)
      expect(await browser().useToken(made.digest, clock.now())).toBeUndefined()
      expect((await browser().listTokens()).map(({ id }) => id)).not.toContain(made.id)
      expect(await browser().begin(buildBrowserRun({ tokenId: made.id }), true, clock.now())).toBe(false)
      expect(await browser().revokeToken(made.id, clock.now())).toBeUndefined()
      expect(await browser().revokeToken(buildId('brt'))).toBeUndefined()
    })

    it('a day of a token has so many calls, also when they come at once, and the next day as many', async () => {
      const { clock, made } = await scene({ dailyLimit: 3 })
      const begin = () => browser().begin(buildBrowserRun({ tokenId: made.id }), true, clock.now())
      const begun = await Promise.all(Array.from({ length: 8 }, begin))
      expect(begun.filter(Boolean)).toHaveLength(3)
      expect(await begin()).toBe(false)
      const midnight = DAY_MS - (clock.now().getTime() % DAY_MS)
      clock.advance(midnight - 1)
      expect(await begin()).toBe(false)
      clock.advance(1)
      expect(await begin()).toBe(true)
    })

    it('what a token may not begin is not noted', async () => {
      const { clock, made } = await scene({ dailyLimit: 1 })
      const [first, second] = [buildBrowserRun({ tokenId: made.id }), buildBrowserRun({ tokenId: made.id })]
      expect(await browser().begin(first, true, clock.now())).toBe(true)
      expect(await browser().begin(second, true, clock.now())).toBe(false)
      expect(await run(first.id)).toMatchObject({ status: 'running' })
      expect(await run(second.id)).toBeUndefined()
    })

    it('notes work of other callers without a limit, and how it ended, once', async () => {
      const clock = new FakeClock()
      const made = buildBrowserRun({ kind: 'run', urlHost: 'shop.example' })
      expect(await browser().begin(made, false, clock.now())).toBe(true)
      const begun = { ...made, status: 'running', steps: 0, ms: 0, bytes: 0, llmTokens: 0 }
      expect(await run(made.id)).toEqual({ ...begun, createdAt: clock.now() })
      const end = { id: made.id, status: 'completed', steps: 4, ms: 1234, bytes: 5_000_000_000, llmTokens: 9 }
      await browser().finish(end)
      await browser().finish({ ...end, status: 'failed', steps: 5 })
      expect(await run(made.id)).toEqual({ ...made, ...end, createdAt: clock.now() })
    })

    it('lists the newest work first, as many as asked for', async () => {
      const made = [buildBrowserRun(), buildBrowserRun(), buildBrowserRun()]
      for (const each of made) await browser().begin(each, false)
      const ids = made.map(({ id }) => id).reverse()
      expect((await browser().listRuns(2)).map(({ id }) => id)).toEqual(ids.slice(0, 2))
    })

    it('forgets old work and tokens that were revoked long ago; good ones stay', async () => {
      const clock = new FakeClock()
      const [good, revoked] = [await scene(), await scene()]
      await browser().revokeToken(revoked.made.id, clock.now())
      const old = buildBrowserRun()
      await browser().begin(old, false, clock.now())
      await browser().purge(30, new Date(clock.now().getTime() + 30 * DAY_MS))
      expect(await run(old.id)).toBeDefined()
      const removed = await browser().purge(30, new Date(clock.now().getTime() + 30 * DAY_MS + 1))
      expect(removed).toBeGreaterThanOrEqual(2)
      expect(await run(old.id)).toBeUndefined()
      expect((await browser().listTokens()).map(({ id }) => id)).toContain(good.made.id)
      await browser().addToken(revoked.made)
    })
  })
}
