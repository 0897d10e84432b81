import type { Metrics } from '../../platform/metrics/metrics.ts'
import { ORDER_STEPS } from './order.ts'
import { STEP_OUTCOMES, type StepOutcome } from './provisioning-store.ts'

const STEPS = [...new Set(Object.values(ORDER_STEPS))]
const OUTCOMES = STEP_OUTCOMES.filter((outcome) => outcome !== 'sent')

/** The families of provisioning. */
export class ProvisioningMetrics {
  readonly #steps

  constructor(metrics: Metrics) {
    const steps = 'Steps of orders for servers, by outcome.'
    this.#steps = metrics.counter('svc_provisioning_steps_total', steps, { step: STEPS, outcome: OUTCOMES })
  }

  stepped(step: string, outcome: StepOutcome): void {
    this.#steps.inc({ step, outcome })
  }
}
