import { describe, expect, it } from '@jest/globals'
import type { CheckoutInput } from '../../../src/reach/billing/checkout-input.ts'
import { type BillingScene, billingScene, codeOf } from './billing-scene.ts'

const open = (scene: BillingScene, idempotencyKey: string, fields: Partial<CheckoutInput> = {}) =>
  scene.test.plane.checkouts.open({ licenseId: scene.licenseId, tier: 'pro', idempotencyKey, ...fields })

describe('a checkout under an Idempotency-Key', () => {
  it('is answered with the same words again, when it was made and when it was there, open or over', async () => {
    await using scene = await billingScene()
    const made = await open(scene, 'one')
    const found = await open(scene, 'two')
    expect([made.isReused, found]).toEqual([false, { ...made, isReused: true }])
    const again = async () => [await open(scene, 'one'), await open(scene, 'two')]
    expect(await again()).toEqual([made, found])
    await scene.send('checkout.session.completed', scene.provider.pay(made.sessionId, 'price_pro'))
    expect(await again()).toEqual([made, found])
    expect(await codeOf(open(scene, 'three'))).toBe('already-subscribed')
    scene.test.clock.advance({ hours: 24 })
    expect(await codeOf(open(scene, 'one'))).toBe('already-subscribed')
    expect(scene.provider.sessions.size).toBe(1)
  })

  it('is refused for anything else, which ends no page', async () => {
    await using scene = await billingScene()
    const { sessionId } = await open(scene, 'one', { email: 'ann@example.com' })
    for (const other of [{ tier: 'starter' }, { email: 'bob@example.com' }, {}])
      expect(await codeOf(open(scene, 'one', other))).toBe('idempotency-mismatch')
    expect(scene.provider.sessions.get(sessionId)).toMatchObject({ status: 'open' })
    expect(scene.provider.sessions.size).toBe(1)
  })

  it('of twenty at once makes one page, and tells the others to wait or that page', async () => {
    await using scene = await billingScene()
    const answers = await Promise.all(Array.from({ length: 20 }, () => codeOf(open(scene, 'many'))))
    const made = await open(scene, 'many')
    expect(made.isReused).toBe(false)
    for (const each of answers) expect(['checkout-in-progress', made]).toContainEqual(each)
    expect(scene.provider.sessions.size).toBe(1)
  })

  it('that the provider refused is free again, also for something else', async () => {
    await using scene = await billingScene()
    scene.provider.faults.push(400)
    expect(await codeOf(open(scene, 'one'))).toBe('payment-provider')
    expect(await open(scene, 'one', { tier: 'starter' })).toMatchObject({ tier: 'starter', isReused: false })
  })

  it('that got no answer is finished under the same key, and is not for anything else until then', async () => {
    await using scene = await billingScene()
    scene.provider.faults.push(500, 500, 500)
    expect(await codeOf(open(scene, 'one'))).toBe('payment-provider')
    expect(await codeOf(open(scene, 'one', { tier: 'starter' }))).toBe('idempotency-mismatch')
    expect(await codeOf(open(scene, 'one'))).toBe('checkout-in-progress')
    scene.test.clock.advance({ seconds: 60 })
    const made = await open(scene, 'one')
    expect([made.isReused, await open(scene, 'one')]).toEqual([false, made])
  })

  it('is remembered for its license alone', async () => {
    await using scene = await billingScene()
    const { id: licenseId } = await scene.test.license('other')
    const mine = await open(scene, 'one')
    expect((await open(scene, 'one', { licenseId, tier: 'starter' })).id).not.toBe(mine.id)
  })

  it.each(['', 'x'.repeat(257), 'ä', 'a\n'])('is refused before anybody is asked: %j', async (key) => {
    await using scene = await billingScene()
    expect(await codeOf(open(scene, key))).toBe('invalid-input')
    expect(scene.provider.calls).toEqual([])
  })
})
