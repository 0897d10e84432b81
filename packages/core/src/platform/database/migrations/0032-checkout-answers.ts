import type { MigrationStep } from './index.ts'

/** Answers to checkouts under an `Idempotency-Key`. */
export const checkoutAnswers: MigrationStep = {
  name: '0032-checkout-answers',
  sql: [
    `create table billing_answers (
      license_id text not null references licenses (id),
      key text not null,
      body_hash text not null,
      checkout_id text not null references billing_checkouts (id) on delete cascade,
      is_reused boolean not null,
      created_at timestamptz not null,
      primary key (license_id, key))`,
    'create index billing_answers_checkout on billing_answers (checkout_id)',
  ],
}
