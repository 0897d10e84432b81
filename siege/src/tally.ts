import type { Attack } from './attack.ts'
import type { WireAnswer } from './pipeline.ts'
import { templateAt } from './verdict.ts'

/** One in this many batches is kept, to be sent again between two comparisons of all rows. */
const KEPT_EVERY = 16

/** Counts of the requests sent so far and of their answers. */
export class Tally {
  readonly statuses: Record<number, number> = {}
  readonly routes: Record<string, number> = {}
  bad = 0
  /** Requests that were answered 503 with `Retry-After`, and were sent again. */
  shed = 0
  sent = 0
  #batches = 0
  #kept: (readonly Attack[])[] = []

  /** Counts the answers of one batch. */
  note(attacks: readonly Attack[], answers: readonly WireAnswer[]): void {
    const refused = attacks.filter((_, index) => isRefusal(answers[index]))
    for (const { status } of answers) this.statuses[status] = (this.statuses[status] ?? 0) + 1
    for (const { path } of refused) {
      const template = templateAt(path)
      this.routes[template] = (this.routes[template] ?? 0) + 1
    }
    this.sent += attacks.length
    this.bad += refused.length
    this.#batches += 1
    if (this.#batches % KEPT_EVERY === 0) this.#kept.push(refused)
  }

  /** Returns the refused requests of the batches kept since the last call. */
  taken(): readonly (readonly Attack[])[] {
    const taken = this.#kept
    this.#kept = []
    return taken
  }
}

/** Whether a request was refused. */
export const isRefusal = (answer: WireAnswer | undefined): boolean => (answer?.status ?? 0) >= 400
