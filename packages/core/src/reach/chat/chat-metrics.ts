import type { Metrics } from '../../platform/metrics/metrics.ts'
import { MODEL_FAILURES, type ModelFailureReason } from './answer/language-model.ts'
import { CHAT_ENGINES, type ChatEngine } from './message.ts'

/** Metric families of the chat. */
export class ChatMetrics {
  readonly #answers
  readonly #failures

  constructor(metrics: Metrics) {
    const engine = { engine: CHAT_ENGINES }
    this.#answers = metrics.counter(
      'svc_chat_answers_total',
      'Messages of visitors, by who answered.',
      engine,
    )
    const reason = { reason: MODEL_FAILURES }
    const help = 'Questions that the language model did not answer to the end.'
    this.#failures = metrics.counter('svc_chat_model_failures_total', help, reason)
  }

  answered(engine: ChatEngine): void {
    this.#answers.inc({ engine })
  }

  modelFailed(reason: ModelFailureReason): void {
    this.#failures.inc({ reason })
  }
}
