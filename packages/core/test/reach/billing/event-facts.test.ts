import { expect, it } from '@jest/globals'
import { factsOf } from '../../../src/reach/billing/event-facts.ts'

it('an event that was stored before items were kept has the prices of its subscription', () => {
  const subscription = {
    id: 'sub_1',
    customer_id: 'cus_1',
    status: 'active',
    current_period_end: 1_770_278_400,
    created_at: 1_767_600_000,
    price_ids: ['price_a', 'price_b'],
  }
  expect(factsOf({ subscription_id: 'sub_1', subscription }).subscription).toMatchObject({
    currentPeriodEnd: new Date(1_770_278_400_000),
    items: [
      { priceId: 'price_a', currentPeriodEnd: undefined },
      { priceId: 'price_b', currentPeriodEnd: undefined },
    ],
  })
})
