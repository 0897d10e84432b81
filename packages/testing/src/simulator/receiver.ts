import type { Outbound } from '@svc/core'
import type { OutboundAnswer, OutboundRequest } from '@svc/core/ports'
import type { Fault } from './fault.ts'
import type { Life } from './life.ts'
import type { Random } from './random.ts'
import { never, type Timeline } from './timeline.ts'

/** Parts of a receiver of alerts and of messages to endpoints. */
export interface ReceiverParts {
  readonly timeline: Timeline
  readonly random: Random
  /** The life of the replica that calls. */
  readonly life: Life
  readonly isOn: (fault: Fault) => boolean
  /** Called when a request reaches the receiver. */
  readonly requested: (url: string, messageId: string) => void
  /** Called when the receiver accepts a message, whether its answer arrives or not. */
  readonly accepted: (url: string, messageId: string) => void
}

interface Fate {
  readonly ms: number
  /** Whether the receiver accepts the message, and its answer is lost. */
  readonly isLost?: boolean
  readonly answer: OutboundAnswer
}

const ANSWER_MS = 200
const FAILURE_SHARE = 0.6
/** Small, since nothing is sent any more to an endpoint that is gone. */
const GONE_SHARE = 0.05
const TIMEOUT_MS = 10_000
/** Longer than the lease of a delivery, as if the calling machine had paused meanwhile. */
const LATE_MS = 100_000

const answered = (status: number): OutboundAnswer => ({
  ok: true,
  status,
  headers: new Headers(),
  body: new Uint8Array(),
})

/**
 * The receiver of alerts, as one replica calls it. While faults are on, it may refuse, fail, answer too late,
 * or accept without an answer.
 */
export class Receiver implements Outbound {
  readonly #parts: ReceiverParts

  constructor(parts: ReceiverParts) {
    this.#parts = parts
  }

  async request(url: string, request?: OutboundRequest): Promise<OutboundAnswer> {
    const { timeline, life, requested, accepted } = this.#parts
    const { ms, isLost = false, answer } = this.#fate()
    const id = request?.headers?.['webhook-id'] ?? ''
    requested(url, id)
    await timeline.sleep(ms, 'receiver')
    if (isLost || (answer.ok && answer.status < 300)) accepted(url, id)
    return life.isOver ? never() : answer
  }

  #fate(): Fate {
    const { random, isOn } = this.#parts
    const soonMs = ANSWER_MS * random.fraction()
    const well = { ms: soonMs, answer: answered(204) }
    if (!isOn('receiver-failure') || !random.chance(FAILURE_SHARE)) return well
    if (random.chance(GONE_SHARE)) return { ms: soonMs, answer: answered(410) }
    return random.pick<Fate>([
      { ms: LATE_MS * random.fraction(), answer: answered(204) },
      { ms: TIMEOUT_MS, answer: { ok: false, refusal: 'timeout' } },
      { ms: TIMEOUT_MS, isLost: true, answer: { ok: false, refusal: 'timeout' } },
      { ms: soonMs, answer: { ok: false, refusal: 'connect' } },
      { ms: soonMs, answer: answered(500) },
    ])
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
