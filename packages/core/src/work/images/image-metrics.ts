import type { Metrics } from '../../platform/metrics/metrics.ts'

const OUTCOMES = ['created', 'known', 'different', 'not-owned'] as const

/** The families of the ledger of images. */
export class ImageMetrics {
  readonly #registered
  readonly #pruned

  constructor(metrics: Metrics) {
    const registered = 'Registrations of images, by outcome.'
    this.#registered = metrics.counter('svc_image_registrations_total', registered, { outcome: OUTCOMES })
    const pruned = 'Images that left their repository, as the lists of their hosts show.'
    this.#pruned = metrics.counter('svc_images_pruned_total', pruned, {})
  }

  registered(outcome: (typeof OUTCOMES)[number]): void {
    this.#registered.inc({ outcome })
  }

  pruned(count: number): void {
    if (count > 0) this.#pruned.inc({}, count)
  }
}
