import type { RateLimit, Storage } from '@svc/core'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'

const CLAIM: RateLimit = { name: 'claim', limit: 60, windowSeconds: 60 }
const LOGIN: RateLimit = { name: 'login-per-account', limit: 10, windowSeconds: 900 }
const WINDOW_MS = 60_000
/** More requests than a counter counts before it clears the windows that have ended. */
const CROWD = 1200

/** Contract suite of rate counters, which count the requests of subjects in windows. */
export function rateCounterContract(name: string, open: () => Promise<Storage>): void {
  describe(`rate counter on ${name}`, () => {
    const storage = openedStorage(open)
    const rates = () => storage().rates

    function scene() {
      const [clock, subject] = [new FakeClock(), buildId('subject')]
      const count = (limit = CLAIM, who = subject) => rates().count(limit, who, clock.now())
      return { clock, subject, count }
    }

    it('a window opens with the first request and lasts as long as its limit says', async () => {
      const { count } = scene()
      expect(await count()).toEqual({ count: 1, windowLeftMs: WINDOW_MS })
      expect(await count(LOGIN)).toEqual({ count: 1, windowLeftMs: 900_000 })
    })

    it('every request in it is counted, those beyond the limit too, and none makes it longer', async () => {
      const { clock, count } = scene()
      const limit = { ...CLAIM, limit: 1 }
      await count(limit)
      clock.advance(12_345)
      expect(await count(limit)).toEqual({ count: 2, windowLeftMs: WINDOW_MS - 12_345 })
      clock.advance(WINDOW_MS - 12_346)
      expect(await count(limit)).toEqual({ count: 3, windowLeftMs: 1 })
    })

    it('an end that is exactly now has passed: the next request opens a window of its own', async () => {
      const { clock, count } = scene()
      await count()
      await count()
      clock.advance(WINDOW_MS)
      expect(await count()).toEqual({ count: 1, windowLeftMs: WINDOW_MS })
      clock.advance(1)
      expect(await count()).toEqual({ count: 2, windowLeftMs: WINDOW_MS - 1 })
    })

    it('a window of the future is over: the clock was set back', async () => {
      const { clock, count } = scene()
      await count()
      clock.advance(-1)
      expect(await count()).toEqual({ count: 1, windowLeftMs: WINDOW_MS })
    })

    it('subjects are counted apart, and so are limits of one subject', async () => {
      const { count } = scene()
      await count()
      await count()
      expect((await count(CLAIM, buildId('subject'))).count).toBe(1)
      expect((await count(LOGIN)).count).toBe(1)
      expect((await count()).count).toBe(3)
    })

    it('requests that come at once each see another count', async () => {
      const { count } = scene()
      const seen = await Promise.all(Array.from({ length: 25 }, () => count()))
      const counts = seen.map((each) => each.count).sort((one, other) => one - other)
      expect(counts).toEqual(Array.from({ length: 25 }, (_, index) => index + 1))
    })

    it('a crowd of others makes it forget no window that is open', async () => {
      const { clock, count } = scene()
      await count(LOGIN)
      for (let each = 0; each < CROWD; each += 1) await count(CLAIM, buildId('subject'))
      clock.advance(WINDOW_MS + 1)
      for (let each = 0; each < CROWD; each += 1) await count(CLAIM, buildId('subject'))
      expect((await count(LOGIN)).count).toBe(2)
    })

    it('without an instant its own time holds', async () => {
      const subject = buildId('subject')
      expect(await rates().count(LOGIN, subject)).toEqual({ count: 1, windowLeftMs: 900_000 })
      const { count, windowLeftMs } = await rates().count(LOGIN, subject)
      expect([count, windowLeftMs > 0 && windowLeftMs <= 900_000]).toEqual([2, true])
    })
  })
}
