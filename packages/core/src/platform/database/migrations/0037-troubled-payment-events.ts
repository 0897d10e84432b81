import type { MigrationStep } from './index.ts'

/** Payment events that somebody has to look at: a tick asks for them, few as they are among all. */
export const troubledPaymentEvents: MigrationStep = {
  name: '0037-troubled-payment-events',
  sql: [
    `create index payment_events_troubled on payment_events (received_at desc)
       where state = 'parked' or (state = 'failed' and next_attempt_at is null) or error = 'livemode'`,
  ],
}
