import type { Storage } from '@svc/core'
import { FakeClock } from '../../fake-clock.ts'
import { buildLicense } from '../../people/licenses/build-license.ts'
import { expect, it } from '../../runner.ts'
import { buildCheckout } from './build-billing.ts'

/** The part of the contract suite of billing that is about `Idempotency-Key`. */
export function checkoutAnswersContract(storage: () => Storage): void {
  it('an answer counts for its license and a day, and the next one takes its place', async () => {
    const { billing, licenses } = storage()
    const clock = new FakeClock()
    const { id: licenseId } = await licenses.add(buildLicense(), clock.now())
    const [one, two] = [buildCheckout({ licenseId }), buildCheckout({ licenseId })]
    await billing.reserve(one, clock.now())
    await billing.moveCheckout(one.id, { from: ['creating'], state: 'failed' })
    await billing.reserve(two, clock.now())
    const first = { key: 'key "1"', bodyHash: 'h', checkoutId: one.id, isReused: false }
    const next = { ...first, bodyHash: 'i', checkoutId: two.id, isReused: true }
    const answered = (owner = licenseId) => billing.answered(owner, first.key, clock.now())
    expect(await answered()).toBeUndefined()
    await billing.answer(licenseId, first, clock.now())
    expect([await answered(), await answered('lic_other')]).toEqual([first, undefined])
    clock.advance({ hours: 1 })
    await billing.answer(licenseId, next, clock.now())
    clock.advance({ hours: 23 })
    expect(await answered()).toEqual(next)
    clock.advance({ hours: 1 })
    expect(await answered()).toBeUndefined()
    await expect(billing.answer(licenseId, { ...next, checkoutId: 'chk_none' })).rejects.toThrow()
    expect(await billing.purge(90, clock.now())).toBeGreaterThanOrEqual(1)
    expect(await billing.answered(licenseId, first.key, new Date(0))).toBeUndefined()
  })
}
