import type { AcknowledgedCheck } from './checks/acknowledged.ts'
import type { BarCheck } from './checks/bars.ts'
import type { WireAnswerCheck } from './checks/wire-answers.ts'
import type { Fault } from './fault.ts'
import type { Random } from './random.ts'
import type { Replica } from './replica.ts'
import type { Timeline } from './timeline.ts'
import type { WireAnswer, WireRequest } from './wire.ts'

/** Parts of the network of a run. */
export interface NetworkParts {
  readonly timeline: Timeline
  readonly random: Random
  readonly replicas: readonly Replica[]
  readonly leaseSeconds: number
  readonly isOn: (fault: Fault) => boolean
  readonly bars: BarCheck
  readonly acknowledged: AcknowledgedCheck
  readonly wireAnswers: WireAnswerCheck
}

/** How long an agent waits for an answer. */
const PATIENCE_MS = 10_000
const LATENCY_MS = 60
const LOSS_SHARE = 0.04
const DUPLICATE_SHARE = 0.05
const DELAY_SHARE = 0.03

/**
 * The network between agents and replicas, where requests and answers get lost, and arrive twice, late or in
 * another order.
 */
export class Network {
  readonly #parts: NetworkParts
  #requests = 0
  #faults = 0

  constructor(parts: NetworkParts) {
    this.#parts = parts
  }

  get requests(): number {
    return this.#requests
  }

  get faults(): number {
    return this.#faults
  }

  /** Sends a request of a license; resolves to undefined if no answer came. */
  send(license: string, request: WireRequest): Promise<WireAnswer | undefined> {
    const { timeline, random, bars, acknowledged } = this.#parts
    this.#requests += 1
    const mark = bars.started(license)
    acknowledged.sent(request)
    return new Promise((resolve) => {
      const patience = timeline.after(PATIENCE_MS, 'patience', () => hear(undefined))
      const hear = (answer: WireAnswer | undefined) => {
        if (patience.isCancelled) return
        patience.isCancelled = true
        if (answer !== undefined) {
          bars.answered(mark, request, answer)
          acknowledged.answered(request, answer)
        }
        resolve(answer)
      }
      if (this.#happens('duplicate', DUPLICATE_SHARE))
        this.#deliver(license, request, this.#lateMs(), () => {})
      if (this.#happens('lost-request', LOSS_SHARE)) return
      const isLate = this.#happens('delay', DELAY_SHARE)
      this.#deliver(license, request, isLate ? this.#lateMs() : random.fraction() * LATENCY_MS, hear)
    })
  }

  #happens(fault: Fault, share: number): boolean {
    const { random, isOn } = this.#parts
    if (!isOn(fault) || !random.chance(share)) return false
    this.#faults += 1
    return true
  }

  #lateMs(): number {
    const { random, leaseSeconds } = this.#parts
    return random.chance(0.5) ? 5000 * random.fraction() : 2000 * leaseSeconds * random.fraction()
  }

  #deliver(license: string, request: WireRequest, delayMs: number, hear: (answer: WireAnswer) => void): void {
    const { timeline } = this.#parts
    timeline.after(delayMs, request.path, () => void this.#arrive(license, request, hear))
  }

  async #arrive(license: string, request: WireRequest, hear: (answer: WireAnswer) => void): Promise<void> {
    const { timeline, random, replicas, wireAnswers } = this.#parts
    const running = random.pick(replicas).running
    if (running === undefined) return
    timeline.note(() => `-> ${request.path} ${JSON.stringify({ ...request.body, lines: undefined })}`)
    const answer = await running.endpoint(request)
    timeline.note(() => `<- ${request.path} ${answer.status} ${JSON.stringify(answer.headers)}`)
    wireAnswers.answered(license, request, answer)
    if (running.life.isOver || this.#happens('lost-answer', LOSS_SHARE)) return
    timeline.after(random.fraction() * LATENCY_MS, `answer ${answer.status}`, () => hear(answer))
  }
}
