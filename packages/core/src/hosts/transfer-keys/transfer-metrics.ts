import type { Metrics } from '../../platform/metrics/metrics.ts'

const OUTCOMES = ['redeemed', 'invalid', 'not-for-host', 'pin-rejected', 'ended'] as const
/** The outcomes of a redemption, as metrics count them. */
export type RedeemOutcome = (typeof OUTCOMES)[number]

/** The families of transfer keys. */
export class TransferMetrics {
  readonly #minted
  readonly #redeemed

  constructor(metrics: Metrics) {
    this.#minted = metrics.counter('svc_transfer_keys_minted_total', 'Transfer keys that were minted.', {})
    const redeemed = 'Redemptions of transfer keys, by outcome.'
    this.#redeemed = metrics.counter('svc_transfer_redemptions_total', redeemed, { outcome: OUTCOMES })
  }

  minted(): void {
    this.#minted.inc()
  }

  redeemed(outcome: RedeemOutcome): void {
    this.#redeemed.inc({ outcome })
  }
}
