import fc from 'fast-check'
import { type Attack, anyAttack } from './attack.ts'
import type { Pace } from './pace.ts'
import { Pipeline, type WireAnswer, type WireRequest } from './pipeline.ts'
import type { Scene } from './scene.ts'
import type { Tally } from './tally.ts'
import { faultOf } from './verdict.ts'

/** Requests sent together on one connection. */
export const BATCH = 16

const SHED_TRIES = 3
const SHED_PAUSE_MS = 1000

const isShed = (answer: WireAnswer | undefined): boolean =>
  answer?.status === 503 && /^retry-after: /im.test(answer.head)

/** The error for a wrong answer to a request. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer'
}

/** The parts that all lanes of a siege share. */
export interface LaneParts {
  readonly scene: Scene
  readonly tally: Tally
  readonly pace: Pace
  /** Aborted when another lane has found a fault. */
  readonly stop: AbortSignal
}

/** One connection that sends batches of attacks and judges each answer. */
export class Lane implements Disposable {
  readonly #parts: LaneParts
  readonly #pipeline: Pipeline

  constructor(parts: LaneParts) {
    this.#parts = parts
    this.#pipeline = new Pipeline(parts.scene.port)
  }

  /** Sends this many generated requests. @throws WrongAnswer with the request */
  async attack(requests: number, seed: number): Promise<void> {
    const { pace, tally, stop } = this.#parts
    const batch = fc.array(anyAttack, { minLength: BATCH, maxLength: BATCH })
    const property = fc.asyncProperty(batch, async (attacks) => {
      if (stop.aborted) return
      await pace.turn(attacks.length)
      const answers = await this.send(attacks)
      tally.note(attacks, answers)
    })
    // A wrong answer is reported with its one request, so there is nothing to shrink.
    const result = await fc.check(property, {
      numRuns: Math.ceil(requests / BATCH),
      seed,
      endOnFailure: true,
    })
    if (result.failed) throw result.errorInstance
  }

  /** Sends these attacks and returns their answers. @throws WrongAnswer */
  async send(attacks: readonly Attack[]): Promise<WireAnswer[]> {
    const { scene } = this.#parts
    const requests = attacks.map((attack) => attack.wire(scene))
    const answers = await this.#answered(requests)
    for (const [index, attack] of attacks.entries()) {
      const [request, answer] = [requests[index], answers[index]]
      if (request === undefined || answer === undefined) throw new WrongAnswer('an answer is missing')
      const fault = faultOf(attack.targetIn(scene), request, answer)
      if (fault !== undefined) throw new WrongAnswer(`${fault}\n${attack}\n${answer.head}\n\n${answer.body}`)
    }
    return answers
  }

  // An overloaded service answers 503 with `Retry-After`. Sends such requests again after a pause; a 503 that
  // persists is the answer.
  async #answered(requests: readonly WireRequest[], tries = SHED_TRIES): Promise<WireAnswer[]> {
    const answers = await this.#pipeline.send(requests)
    const shed = requests.filter((_, index) => isShed(answers[index]))
    if (shed.length === 0 || tries === 0) return answers
    this.#parts.tally.shed += shed.length
    await new Promise((resolve) => setTimeout(resolve, SHED_PAUSE_MS))
    const later = await this.#answered(shed, tries - 1)
    return answers.map((answer) => (isShed(answer) ? (later.shift() ?? answer) : answer))
  }

  [Symbol.dispose](): void {
    this.#pipeline[Symbol.dispose]()
  }
}
