import type { Storage } from '@svc/core'
import type { EventSettlement, PaymentEvent } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildPaymentEvent } from './build-billing.ts'

const NEW = { state: 'received', error: undefined, delaySeconds: 60 } as const

/** Contract suite of stores of payment events. */
export function paymentEventsStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`payment events store on ${name}`, () => {
    const storage = openedStorage(open)
    const events = () => storage().paymentEvents

    async function scene(fields: Partial<PaymentEvent> = {}) {
      const clock = new FakeClock()
      const event = buildPaymentEvent(fields)
      await events().add(event, NEW, clock.now())
      const lease = () => ({ token: buildId('lease'), seconds: 60 })
      const claim = (token = buildId('lease')) =>
        events().claim(event.id, ['received', 'failed'], { token, seconds: 60 }, clock.now())
      const settle = async (fields: Omit<EventSettlement, 'id' | 'token'>) => {
        const { token } = lease()
        await claim(token)
        return events().settle({ id: event.id, token, ...fields }, clock.now())
      }
      return { clock, event, id: event.id, claim, settle }
    }

    it('keeps ids and states of an event, once', async () => {
      const seconds = new Date('2026-03-04T05:06:07Z')
      const subscription = {
        id: 'sub_1',
        licenseId: 'lic_1',
        customerId: 'cus_1',
        status: 'active',
        cancelAt: seconds,
        currentPeriodEnd: seconds,
        endedAt: undefined,
        createdAt: seconds,
        items: [
          { priceId: 'price_1', currentPeriodEnd: new Date('2026-02-05T09:00:00Z') },
          { priceId: 'price_2', currentPeriodEnd: undefined },
        ],
      }
      const ids = {
        subscriptionId: 'sub_1',
        sessionId: 'cs_1',
        invoiceId: 'in_1',
        customerId: 'cus_1',
        chargeId: 'ch_1',
        paymentId: 'pi_1',
      }
      const at = await scene({ facts: { ...ids, subscription }, livemode: false })
      const expected = {
        ...at.event,
        licenseId: undefined,
        state: 'received',
        attempts: 0,
        nextAttemptAt: new Date(at.clock.now().getTime() + 60_000),
        error: undefined,
        receivedAt: at.clock.now(),
      }
      expect(await events().get(at.id)).toEqual(expected)
      expect(await events().add({ ...at.event, type: 'invoice.paid' }, NEW, at.clock.now())).toBe(false)
      expect(await events().get(at.id)).toEqual(expected)
      expect(await events().get('evt_none')).toBeUndefined()
    })

    it('of twenty who want to apply it at once one may, and another when the lease is over', async () => {
      const at = await scene()
      const asked = await Promise.all(Array.from({ length: 20 }, () => at.claim()))
      expect(asked.flatMap((each) => each?.attempts ?? [])).toEqual([1])
      at.clock.advance({ seconds: 59.999 })
      expect(await at.claim()).toBeUndefined()
      at.clock.advance(1)
      expect(await at.claim()).toMatchObject({ attempts: 2 })
    })

    it('whoever lost the lease settles nothing', async () => {
      const at = await scene()
      await at.claim('first')
      at.clock.advance({ seconds: 60 })
      await at.claim('second')
      const settlement = { id: at.id, state: 'applied', licenseId: 'lic_1' } as const
      expect(await events().settle({ ...settlement, token: 'first' }, at.clock.now())).toBe(false)
      expect(await events().get(at.id)).toMatchObject({ state: 'received' })
      expect(await events().settle({ ...settlement, token: 'second' }, at.clock.now())).toBe(true)
      expect(await events().get(at.id)).toMatchObject({
        state: 'applied',
        licenseId: 'lic_1',
        nextAttemptAt: undefined,
      })
      expect(await at.claim()).toBeUndefined()
    })

    it('is due when nobody applied it, and again after the delay of a failure', async () => {
      const at = await scene()
      const due = async () => {
        const seen: string[] = []
        for (;;) {
          const event = await events().claimDue({ token: buildId('lease'), seconds: 60 }, at.clock.now())
          if (event === undefined) return seen
          seen.push(event.id)
        }
      }
      at.clock.advance({ seconds: 59.999 })
      expect(await due()).not.toContain(at.id)
      at.clock.advance(1)
      expect(await due()).toContain(at.id)
      at.clock.advance({ seconds: 60 })
      await at.settle({ state: 'failed', error: 'provider_error', delaySeconds: 300 })
      expect(await due()).not.toContain(at.id)
      at.clock.advance({ seconds: 300 })
      expect(await due()).toContain(at.id)
      at.clock.advance({ seconds: 60 })
      await at.settle({ state: 'failed', error: 'provider_error' })
      at.clock.advance({ days: 1 })
      expect(await due()).not.toContain(at.id)
    })

    it('is listed newest first, by state and by license', async () => {
      const licenseId = buildId('lic')
      const [first, second] = [await scene(), await scene()]
      await first.settle({ state: 'parked', error: 'unknown_price', licenseId })
      second.clock.advance({ hours: 1 })
      await second.settle({ state: 'applied', licenseId })
      const ids = async (filter: object) =>
        (await events().list({ licenseId, limit: 9, ...filter })).map(({ id }) => id)
      const byId = [first.id, second.id].sort()
      expect(await ids({})).toEqual(byId)
      expect(await ids({ limit: 1 })).toEqual(byId.slice(0, 1))
      expect(await ids({ states: ['parked'] })).toEqual([first.id])
      expect(await ids({ states: ['parked', 'applied'] })).toEqual(byId)
      expect((await events().list({ limit: 1000 })).length).toBeGreaterThanOrEqual(2)
    })

    it('calls for a person while it is parked or given up, and for a day if it is of the other mode', async () => {
      const [parked, failed, waiting] = [await scene(), await scene(), await scene()]
      await parked.settle({ state: 'parked', error: 'unknown_price' })
      await failed.settle({ state: 'failed', error: 'fault' })
      await waiting.settle({ state: 'failed', error: 'fault', delaySeconds: 60 })
      const other = buildPaymentEvent()
      const { clock } = parked
      await events().add(other, { ...NEW, state: 'ignored', error: 'livemode' }, clock.now())
      const seen = async () => (await events().troubles(24, clock.now())).map(({ id }) => id)
      expect(await seen()).toEqual(expect.arrayContaining([parked.id, failed.id, other.id]))
      expect(await seen()).not.toContain(waiting.id)
      expect(await events().resolve(parked.id)).toMatchObject({ state: 'ignored', error: 'unknown_price' })
      expect(await events().resolve('evt_none')).toBeUndefined()
      clock.advance({ hours: 24 })
      const left = await seen()
      expect(left).toContain(failed.id)
      for (const { id } of [parked, other]) expect(left).not.toContain(id)
      expect(await events().resolve(failed.id)).toMatchObject({ state: 'ignored' })
    })

    it('an applied event stays as it is when somebody sets it aside', async () => {
      const at = await scene()
      await at.settle({ state: 'applied' })
      expect(await events().resolve(at.id)).toMatchObject({ state: 'applied' })
    })

    it('is forgotten when it is old and nobody has to look at it', async () => {
      const [applied, parked] = [await scene(), await scene()]
      await applied.settle({ state: 'applied' })
      await parked.settle({ state: 'parked', error: 'refund' })
      await events().purge(90, applied.clock.advance({ days: 90 }))
      expect(await events().get(applied.id)).toBeDefined()
      expect(await events().purge(90, applied.clock.advance(1))).toBeGreaterThanOrEqual(1)
      expect(await events().get(applied.id)).toBeUndefined()
      expect(await events().get(parked.id)).toBeDefined()
      await events().resolve(parked.id)
      await events().purge(90, applied.clock.now())
    })
  })
}
