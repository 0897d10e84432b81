import { type Answer, Problem } from '@svc/core'
import type { BarCheck } from './checks/bars.ts'
import type { Random } from './random.ts'
import type { Replica } from './replica.ts'
import type { Timeline } from './timeline.ts'

/**
 * The outcome of an operation: its answer, or the code of a refusal. Neither is set if the replica crashed or
 * was too slow.
 */
export interface Outcome {
  readonly answer?: Answer
  readonly refused?: string
}

/** Parts of the operator of a run. */
export interface OperatorParts {
  readonly timeline: Timeline
  readonly random: Random
  readonly replicas: readonly Replica[]
  readonly bars: BarCheck
}

const PATIENCE_MS = 20_000

/** The person who runs the fleet. Each action is an operation of the product, sent to a random replica. */
export class Operator {
  readonly #parts: OperatorParts
  readonly #answered = new Map<string, number>()
  #reinstatements = 0
  readonly #enqueued = new Set<string>()
  readonly #revoked = new Set<string>()
  /** Reinstatements of each license without a known end: they may still take effect at any time. */
  readonly #unended = new Map<string, number>()

  constructor(parts: OperatorParts) {
    this.#parts = parts
  }

  /** How often each operation was answered, by its name. */
  get answered(): ReadonlyMap<string, number> {
    return this.#answered
  }

  /** The number of operations that were answered; each of them changes something. */
  get operated(): number {
    return [...this.#answered.values()].reduce((sum, count) => sum + count, 0)
  }

  /** The ids of acknowledged jobs. */
  get enqueued(): ReadonlySet<string> {
    return this.#enqueued
  }

  /** Licenses whose revocation was sent, so they may be revoked. */
  get revoked(): ReadonlySet<string> {
    return this.#revoked
  }

  /** Runs an operation. Never rejects. */
  run(name: string, input: Readonly<Record<string, unknown>>): Promise<Outcome> {
    const { timeline, random, replicas } = this.#parts
    const { running } = random.pick(replicas)
    timeline.note(() => `operator: ${name} ${JSON.stringify(input)}`)
    if (running === undefined) return timeline.sleep(1000, 'no replica').then(() => ({}))
    const asked = running.plane.operations.run(name, input, 'operator').then(
      (answer) => {
        this.#answered.set(name, (this.#answered.get(name) ?? 0) + 1)
        return { answer }
      },
      (error: unknown) => ({ refused: error instanceof Problem ? error.code : String(error) }),
    )
    return new Promise((resolve) => {
      const patience = timeline.after(PATIENCE_MS, 'operator', () => resolve({}))
      void asked.then((outcome) => {
        patience.isCancelled = true
        resolve(outcome)
      })
    })
  }

  /** Enqueues a job, and retries until it is acknowledged or refused for good. */
  async enqueue(input: Readonly<Record<string, unknown>>): Promise<void> {
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const { answer, refused } = await this.run('jobs.enqueue', input)
      const job = answer?.job as { readonly id: string } | undefined
      if (job !== undefined) this.#enqueued.add(job.id)
      if (
        job !== undefined ||
        (refused !== undefined && refused !== 'unavailable' && refused !== 'not-found')
      )
        return
      await this.#parts.timeline.sleep(2000, 'operator')
    }
  }

  /** Bars a license; once the answer is there, no request that starts later may succeed. */
  async bar(verb: 'suspend' | 'revoke', license: string): Promise<void> {
    if (verb === 'revoke') this.#revoked.add(license)
    const reinstated = this.#reinstatements
    const isUnsure = (this.#unended.get(license) ?? 0) > 0
    const { answer } = await this.run(`licenses.${verb}`, { license })
    // A suspension that overlaps a reinstatement may have taken effect before it.
    const isSure = verb === 'revoke' || (!isUnsure && reinstated === this.#reinstatements)
    if (answer !== undefined && isSure) this.#parts.bars.barred(license)
  }

  /** Lifts a suspension. */
  async reinstate(license: string): Promise<boolean> {
    if (this.#revoked.has(license)) return true
    this.#parts.bars.opening(license)
    const count = (change: number) => this.#unended.set(license, (this.#unended.get(license) ?? 0) + change)
    count(1)
    this.#reinstatements += 1
    const { answer, refused } = await this.run('licenses.reinstate', { license })
    const isEnded = answer !== undefined || refused === 'conflict'
    if (isEnded) count(-1)
    return isEnded
  }
}
