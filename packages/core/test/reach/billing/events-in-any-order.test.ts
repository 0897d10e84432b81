import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { eventText, invoice } from '../../../../../test/support/payment-provider.ts'
import { type BillingScene, billingScene } from './billing-scene.ts'

const RUNS = 60
const SECOND = 1_767_603_600

/** The life of a subscription: the provider's state at each event, and the event. */
const LIFE = [
  ['customer.subscription.created', 'incomplete'],
  ['customer.subscription.updated', 'active'],
  ['invoice.paid', 'active'],
  ['customer.subscription.updated', 'past_due'],
  ['customer.subscription.deleted', 'canceled'],
] as const

const orders = permutations(LIFE.map((_, index) => index))

function permutations(items: readonly number[]): number[][] {
  if (items.length <= 1) return [[...items]]
  return items.flatMap((item) =>
    permutations(items.filter((each) => each !== item)).map((rest) => [item, ...rest]),
  )
}

/** The five events with the object as it was when each was made; the provider keeps the last. */
function lifeOf(scene: BillingScene, id: string, licenseId: string): string[] {
  return LIFE.map(([type, status], index) => {
    const more = status === 'canceled' ? { ended_at: SECOND } : {}
    const object = scene.subscribe({ id, licenseId, status, customer: `cus_${id}`, more })
    const fields = { id: `evt_${id}_${index}`, created: SECOND + index }
    return eventText(type, type === 'invoice.paid' ? invoice(id) : object, fields)
  })
}

/**
 * The license, its subscription and unpaid invoices after a new license has heard of such a life in an order.
 */
async function rowAfter(scene: BillingScene, order: readonly number[]): Promise<string> {
  const { id: licenseId } = await scene.test.license()
  const id = licenseId.replace('lic', 'sub')
  const life = lifeOf(scene, id, licenseId)
  for (const index of order) await scene.deliver(life[index] ?? '')
  const { billing, licenses } = scene.test.storage
  const row = await licenses.get(licenseId)
  const [told] = await billing.subscriptions(licenseId)
  const unpaid = (await billing.dunning()).filter((each) => each.licenseId === licenseId)
  const { syncToken: _, liveToken: __, ...subscription } = told ?? { syncToken: 0, liveToken: 0 }
  return JSON.stringify([row, subscription, unpaid]).replaceAll(licenseId.slice(4), 'x')
}

/** Settings of a plane that may ask the provider, and of one that knows only the events. */
const PLANES = [
  ['the provider is asked', {}],
  ['there is no key to ask with', { PAYMENT_SECRET_KEY: undefined }],
] as const

describe.each(PLANES)('the events of a subscription, where %s', (_, env) => {
  let scene: BillingScene
  beforeAll(async () => {
    scene = await billingScene({ env })
  })
  afterAll(async () => {
    await scene[Symbol.asyncDispose]()
  })

  it('end in the same license in every order', async () => {
    const ends = new Set<string>()
    for (const order of orders) ends.add(await rowAfter(scene, order))
    expect(orders).toHaveLength(120)
    expect([...ends].map((end) => JSON.parse(end)[0])).toEqual([
      expect.objectContaining({ status: 'suspended', statusReason: 'billing', billingState: 'canceled' }),
    ])
  })

  it('end in the same license, whatever comes how often between the others', async () => {
    const sequences = fc.tuple(...LIFE.map(() => fc.integer({ min: 1, max: 3 }))).chain((counts) => {
      const all = counts.flatMap((count, index) => Array.from({ length: count }, () => index))
      return fc.shuffledSubarray(all, { minLength: all.length })
    })
    const expected = await rowAfter(scene, [0, 1, 2, 3, 4])
    await fc.assert(
      fc.asyncProperty(sequences, async (order) => {
        const before = await scene.audited()
        expect(await rowAfter(scene, order)).toBe(expected)
        // The state of the provider is applied once; the states that events tell, at most once each.
        const most = 'PAYMENT_SECRET_KEY' in env ? LIFE.length : 1
        expect((await scene.audited()) - before).toBeLessThanOrEqual(most)
      }),
      { numRuns: RUNS },
    )
  })
})
