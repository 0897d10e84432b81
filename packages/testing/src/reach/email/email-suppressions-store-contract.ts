import type { Storage } from '@svc/core'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'

const DAY_MS = 86_400_000

/** Contract suite of stores of suppressed addresses. */
export function emailSuppressionsStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`email suppressions store on ${name}`, () => {
    const storage = openedStorage(open)
    const store = () => storage().emailSuppressions
    const scene = async () => {
      const clock = new FakeClock()
      const owner = buildId('lic')
      await store().add({ owner, address: 'Bob@Example.net', reason: 'no_mailbox', days: 30 }, clock.now())
      return { clock, owner }
    }

    it('an address is suppressed in any spelling, for its owner, until its time is over', async () => {
      const { clock, owner } = await scene()
      const asked = ['BOB@example.net', 'eve@example.net', 'bob@example.net']
      const until = new Date(clock.now().getTime() + 30 * DAY_MS)
      expect(await store().among(owner, asked, new Date(until.getTime() - 1))).toEqual(['bob@example.net'])
      expect(await store().among(owner, asked, until)).toEqual([])
      expect(await store().among(buildId('lic'), asked, clock.now())).toEqual([])
      expect(await store().list({ owner, limit: 10 }, clock.now())).toEqual([
        { owner, address: 'bob@example.net', reason: 'no_mailbox', until, createdAt: clock.now() },
      ])
    })

    it('the same again moves the end', async () => {
      const { clock, owner } = await scene()
      const later = clock.advance({ days: 29 })
      await store().add({ owner, address: 'bob@example.net', reason: 'complaint', days: 30 }, later)
      const [found, ...others] = await store().list({ owner, limit: 10 }, clock.advance({ days: 29 }))
      expect(found).toMatchObject({ reason: 'complaint' })
      expect(others).toEqual([])
    })

    it('is removed once', async () => {
      const { clock, owner } = await scene()
      expect(await store().remove(owner, 'BOB@example.net')).toBe(true)
      expect(await store().remove(owner, 'bob@example.net')).toBe(false)
      expect(await store().among(owner, ['bob@example.net'], clock.now())).toEqual([])
    })

    it('lists by owner and address, and forgets those that are over', async () => {
      const { clock, owner } = await scene()
      await store().add({ owner, address: 'al@example.net', reason: 'no_mailbox', days: 1 }, clock.now())
      const addresses = async () =>
        (await store().list({ owner, limit: 10 }, clock.now())).map(({ address }) => address)
      expect(await addresses()).toEqual(['al@example.net', 'bob@example.net'])
      expect(await store().list({ owner, limit: 1 }, clock.now())).toHaveLength(1)
      clock.advance({ days: 1 })
      expect(await addresses()).toEqual(['bob@example.net'])
      expect(await store().purge(clock.now())).toBeGreaterThanOrEqual(1)
      expect(await store().remove(owner, 'al@example.net')).toBe(false)
    })
  })
}
