import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { eventText, invoice } from '../../../../test/support/payment-provider.ts'
import { billingScene, type BillingScene } from './billing-scene.ts'

const RUNS = 60
const SECOND = 1_767_603_600

/** The life of a subscription: what the provider says at each event, and the event. */
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
function lifeOf(scene: BillingScene, id: string): string[] {
  return LIFE.map(([type, status], index) => {
    const more = status === 'canceled' ? { ended_at: SECOND } : {}
    const object = scene.subscribe({ id, status, customer: `cus_${id}`, more })
    const fields = { id: `evt_${id}_${index}`, created: SECOND + index }
    return eventText(type, type === 'invoice.paid' ? invoice(id) : object, fields)
  })
}

async function rowAfter(scene: BillingScene, sequence: readonly string[]): Promise<string> {
  for (const text of sequence) await scene.deliver(text)
  const { billing, audit } = scene.test.storage
  const rows = (await billing.subscriptions(scene.licenseId)).map(({ syncToken: _, liveToken: __, ...row }) => row)
  void audit
  return JSON.stringify([await scene.license(), rows, await billing.dunning()])
}

/** Settings of a plane that may ask the provider, and of one that has only what events tell it. */
const PLANES = [
  ['the provider is asked', {}],
  ['there is no key to ask with', { PAYMENT_SECRET_KEY: undefined }],
] as const

describe.each(PLANES)('the events of a subscription, where %s', (_, env) => {
  const isAsked = !('PAYMENT_SECRET_KEY' in env)

  it('end in the same license in every order', async () => {
    const ends = new Set<string>()
    for (const order of orders) {
      await using scene = await billingScene({ env })
      const life = lifeOf(scene, 'sub_1')
      ends.add(await rowAfter(scene, order.map((index) => life[index] ?? '')))
    }
    expect(orders).toHaveLength(120)
    expect([...ends].map((end) => JSON.parse(end)[0])).toEqual([
      expect.objectContaining({ status: 'suspended', statusReason: 'billing', billingState: 'canceled', tier: 'pro' }),
    ])
  })

  it('end in the same license, whatever comes how often between the others', async () => {
    const sequences = fc
      .tuple(...LIFE.map(() => fc.integer({ min: 1, max: 3 })))
      .chain((counts) => {
        const all = counts.flatMap((count, index) => Array.from({ length: count }, () => index))
        return fc.shuffledSubarray(all, { minLength: all.length })
      })
    let expected: string | undefined
    await fc.assert(
      fc.asyncProperty(sequences, async (order) => {
        await using scene = await billingScene({ env })
        const life = lifeOf(scene, 'sub_1')
        const end = await rowAfter(scene, order.map((index) => life[index] ?? ''))
        expected ??= end
        expect(end).toBe(expected)
        // What the provider says is applied once; what events say, at most once for each.
        expect(await scene.audited()).toBeLessThanOrEqual(isAsked ? 1 : LIFE.length)
      }),
      { numRuns: RUNS, ...(process.env.PROPERTY_SEED === 'fresh' ? {} : { seed: 29 }) },
    )
  })
})
