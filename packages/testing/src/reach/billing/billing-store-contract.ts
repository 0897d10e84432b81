import type { Storage } from '@svc/core'
import type { LicenseBilling } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'
import { FakeClock } from '../../fake-clock.ts'
import { openedStorage } from '../../opened-storage.ts'
import { buildLicense } from '../../people/licenses/build-license.ts'
import { describe, expect, it } from '../../runner.ts'
import { buildEndpoint } from '../webhooks/build-endpoint.ts'
import { buildCheckout, buildSubscription } from './build-billing.ts'
import { checkoutAnswersContract } from './checkout-answers-contract.ts'

/** Contract suite of stores of billing. */
export function billingStoreContract(name: string, open: () => Promise<Storage>): void {
  describe(`billing store on ${name}`, () => {
    const storage = openedStorage(open)
    const billing = () => storage().billing

    async function scene() {
      const clock = new FakeClock()
      const { id: licenseId } = await storage().licenses.add(buildLicense(), clock.now())
      const put = async (fields: Parameters<typeof buildSubscription>[0] = {}) => {
        const made = buildSubscription({ licenseId, ...fields })
        return { made, isStored: await billing().put(made) }
      }
      const paid = (fields: Partial<LicenseBilling> = {}): LicenseBilling => ({
        tier: 'pro',
        status: 'active',
        statusReason: undefined,
        billingState: 'active',
        currentPeriodEnd: clock.now(),
        expiresAt: new Date('2090-01-01T00:00:00Z'),
        customerId: buildId('cus'),
        ...fields,
      })
      return { clock, licenseId, put, paid }
    }

    it('gives tokens that rise, also to those who ask at once', async () => {
      const first = await billing().nextToken()
      const asked = await Promise.all([1, 2, 3, 4].map(() => billing().nextToken()))
      expect(asked.sort((one, other) => one - other)).toEqual([1, 2, 3, 4].map((each) => first + each))
    })

    it('writes what billing sets of a license, and knows the license by its customer', async () => {
      const at = await scene()
      const given = at.paid({ status: 'suspended', statusReason: 'billing', billingState: 'unpaid' })
      const written = await billing().bill(at.licenseId, given)
      expect(written).toMatchObject({ id: at.licenseId, ...given })
      expect(await storage().licenses.get(at.licenseId)).toEqual(written)
      expect(await billing().lock(at.licenseId)).toEqual(written)
      expect(await billing().ofCustomer(given.customerId ?? '')).toEqual(written)
      expect(await billing().ofCustomer('cus_none')).toBeUndefined()
      expect(await billing().bill('lic_none', given)).toBeUndefined()
      expect(await billing().lock('lic_none')).toBeUndefined()
    })

    it('a customer belongs to one license', async () => {
      const [at, other] = [await scene(), await scene()]
      const customerId = buildId('cus')
      await billing().bill(at.licenseId, at.paid({ customerId }))
      const written = await billing().bill(other.licenseId, other.paid({ customerId, tier: 'starter' }))
      expect(written).toMatchObject({ customerId: undefined, tier: 'starter' })
      expect((await billing().ofCustomer(customerId))?.id).toBe(at.licenseId)
    })

    it('tells the endpoints of the license what it pays for, and which payment failed, once', async () => {
      const at = await scene()
      const { id, licenseId } = buildEndpoint({ licenseId: at.licenseId, events: ['billing.*'] })
      await storage().webhooks.add(buildEndpoint({ id, licenseId, events: ['billing.*'] }), 10)
      await billing().bill(licenseId, at.paid({ currentPeriodEnd: new Date(1_770_000_000_000) }))
      const failed = { licenseId, invoiceId: 'in_1', startedAt: at.clock.now() }
      expect([await billing().openDunning(failed), await billing().openDunning(failed)]).toEqual([
        true,
        false,
      ])
      const filter = { endpointId: id, states: undefined, after: undefined, limit: 9 }
      const sent = await storage().webhooks.deliveries(filter)
      const bodies = await Promise.all(
        sent.map(async (each) => JSON.parse((await storage().webhooks.delivery(id, each.id))?.body ?? '{}')),
      )
      const data = {
        license_id: licenseId,
        tier: 'pro',
        status: 'active',
        billing_state: 'active',
        current_period_end: 1_770_000_000,
      }
      expect(bodies.map(({ type }) => type).sort()).toEqual([
        'billing.license_updated',
        'billing.payment_failed',
      ])
      for (const body of bodies) expect(body.data).toEqual(data)
    })

    it('what an operator decides is theirs, and no event of billing', async () => {
      const at = await scene()
      await billing().bill(at.licenseId, at.paid({ status: 'suspended', statusReason: 'billing' }))
      const endpoint = buildEndpoint({ licenseId: at.licenseId, events: ['billing.*'] })
      await storage().webhooks.add(endpoint, 10)
      const status = async (word: 'active' | 'suspended') =>
        (await storage().licenses.setStatus(at.licenseId, word))?.statusReason
      expect(await status('suspended')).toBe('operator')
      expect(await status('active')).toBe('operator')
      const filter = { endpointId: endpoint.id, states: undefined, after: undefined, limit: 9 }
      expect(await storage().webhooks.deliveries(filter)).toEqual([])
    })

    it('keeps everything that a subscription is made of, by license and in the order of ids', async () => {
      const at = await scene()
      const until = new Date('2090-01-01T00:00:00Z')
      const { made } = await at.put({
        status: 'canceled',
        cancelAt: until,
        endedAt: until,
        liveToken: undefined,
        lastEvent: { createdAt: until, rank: 2 },
        parkedReason: 'unknown_price',
        tier: undefined,
        priceId: undefined,
      })
      const { made: second } = await at.put()
      const { made: third } = await at.put({ status: undefined, currentPeriodEnd: undefined })
      expect(await billing().subscriptions(at.licenseId)).toEqual([made, second, third])
      expect(await billing().subscription(made.id)).toEqual(made)
      expect(await billing().subscription('sub_none')).toBeUndefined()
      const current = (await billing().current()).map(({ id }) => id)
      expect(current).toEqual(expect.arrayContaining([second.id, third.id]))
      expect(current).not.toContain(made.id)
    })

    it('an older sync that ends later changes nothing, and no other license gets the subscription', async () => {
      const [at, other] = [await scene(), await scene()]
      const { made } = await at.put({ syncToken: 5 })
      for (const syncToken of [4, 5])
        expect(await billing().put({ ...made, status: 'canceled', syncToken })).toBe(false)
      expect(await billing().subscription(made.id)).toEqual(made)
      const next = { ...made, licenseId: other.licenseId, status: 'past_due' as const, syncToken: 6 }
      expect(await billing().put(next)).toBe(true)
      expect(await billing().subscription(made.id)).toEqual({ ...next, licenseId: at.licenseId })
    })

    it('one subscription at most counts for a license while it is paid', async () => {
      const at = await scene()
      const { made } = await at.put()
      await expect(at.put({ status: 'past_due' })).rejects.toThrow()
      const { made: second } = await at.put({ parkedReason: 'duplicate_subscription' })
      await expect(billing().park(second.id, undefined)).rejects.toThrow()
      await billing().park(made.id, 'duplicate_subscription')
      await billing().park(second.id, undefined)
      const reasons = (await billing().subscriptions(at.licenseId)).map(({ parkedReason }) => parkedReason)
      expect(reasons).toEqual(['duplicate_subscription', undefined])
      await billing().park('sub_none', undefined)
    })

    it('of eight checkouts at once one is reserved, and the next one when that has ended', async () => {
      const at = await scene()
      const reserve = () => billing().reserve(buildCheckout({ licenseId: at.licenseId }), at.clock.now())
      const asked = await Promise.all(Array.from({ length: 8 }, reserve))
      expect(asked.filter(Boolean)).toHaveLength(1)
      const live = await billing().liveCheckout(at.licenseId)
      expect(live).toMatchObject({ state: 'creating', reservedAt: at.clock.now(), sessionId: undefined })
      await billing().moveCheckout(live?.id ?? '', { from: ['creating'], state: 'failed' })
      expect(await billing().liveCheckout(at.licenseId)).toBeUndefined()
      expect(await reserve()).toBe(true)
    })

    it('a checkout that is reserved once more is not, as its license has one', async () => {
      const checkout = buildCheckout({ licenseId: (await scene()).licenseId })
      expect([await billing().reserve(checkout), await billing().reserve(checkout)]).toEqual([true, false])
    })

    it('a checkout moves from the states that are named, and is known by its session', async () => {
      const at = await scene()
      const made = buildCheckout({ licenseId: at.licenseId })
      await billing().reserve(made, at.clock.now())
      const sessionId = buildId('cs')
      const opened = { from: ['creating'], state: 'open', sessionId, url: 'v1:url' } as const
      const expected = { ...made, sessionId, url: 'v1:url', state: 'open', reservedAt: at.clock.now() }
      expect(await billing().moveCheckout(made.id, opened)).toEqual(expected)
      expect(await billing().moveCheckout(made.id, opened)).toBeUndefined()
      expect(await billing().checkout(made.id)).toEqual(expected)
      expect(await billing().checkoutOf(sessionId)).toEqual(expected)
      expect(await billing().checkoutOf('cs_none')).toBeUndefined()
      const ended = await billing().moveCheckout(made.id, { from: ['creating', 'open'], state: 'completed' })
      expect(ended).toEqual({ ...expected, state: 'completed' })
    })

    it('is taken over when nobody finished it, once', async () => {
      const at = await scene()
      const made = buildCheckout({ licenseId: at.licenseId })
      await billing().reserve(made, at.clock.now())
      const take = () => {
        const change = { from: ['creating'], state: 'creating', idleSeconds: 60 } as const
        return billing().moveCheckout(made.id, change, at.clock.now())
      }
      at.clock.advance({ seconds: 59.999 })
      expect(await take()).toBeUndefined()
      const now = at.clock.advance(1)
      const taken = await Promise.all([take(), take()])
      expect(taken.filter((each) => each !== undefined)).toEqual([
        { ...made, sessionId: undefined, url: undefined, state: 'creating', reservedAt: now },
      ])
    })

    checkoutAnswersContract(storage)

    it('an invoice that is not paid is open until the license owes nothing, and never opens again', async () => {
      const at = await scene()
      const failed = { licenseId: at.licenseId, invoiceId: 'in_2', startedAt: at.clock.now() }
      await billing().openDunning({ ...failed, invoiceId: 'in_3', startedAt: at.clock.advance({ hours: 1 }) })
      await billing().openDunning(failed)
      const open = async () =>
        (await billing().dunning())
          .filter((each) => each.licenseId === at.licenseId)
          .map((each) => each.invoiceId)
      expect(await open()).toEqual(['in_2', 'in_3'])
      expect(await billing().endDunning(at.licenseId, at.clock.now())).toBe(2)
      expect(await billing().endDunning(at.licenseId, at.clock.now())).toBe(0)
      expect(await billing().openDunning(failed)).toBe(false)
      expect(await open()).toEqual([])
    })

    it('forgets checkouts and invoices that ended long enough ago', async () => {
      const at = await scene()
      const made = buildCheckout({ licenseId: at.licenseId })
      await billing().reserve(made, at.clock.now())
      await billing().openDunning({ licenseId: at.licenseId, invoiceId: 'in_4', startedAt: at.clock.now() })
      await billing().purge(90, at.clock.advance({ days: 91 }))
      expect(await billing().checkout(made.id)).toBeDefined()
      expect(await billing().endDunning(at.licenseId, at.clock.now())).toBe(1)
      await billing().moveCheckout(made.id, { from: ['creating'], state: 'expired' })
      expect(await billing().purge(90, at.clock.now())).toBeGreaterThanOrEqual(1)
      expect(await billing().checkout(made.id)).toBeUndefined()
      expect(await billing().purge(90, at.clock.advance({ days: 91 }))).toBeGreaterThanOrEqual(1)
      const again = { licenseId: at.licenseId, invoiceId: 'in_4', startedAt: at.clock.now() }
      expect(await billing().openDunning(again)).toBe(true)
    })
  })
}
