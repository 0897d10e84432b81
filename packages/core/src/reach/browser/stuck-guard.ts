import type { PageStep } from './agent-action.ts'

/** A step with the page that it was taken on. */
export interface TakenStep {
  readonly step: PageStep
  readonly url: string
  /** Digest of the page's content. */
  readonly page: string
}

/** The same step on a page that shows the same, so often among the last so many. */
const SAME_STEP = { times: 3, last: 5 } as const
/** Steps of one kind on a page that stays as it is. */
const SAME_KIND = { times: 4, last: 6 } as const

/**
 * Notices an agent that does the same again and again: the first time it is told so, the next time it is
 * stopped.
 */
export class StuckGuard {
  readonly #taken: TakenStep[] = []
  #isTold = false

  /** Notes a step. `hint`: the agent has to be told to do something else; `stuck`: it has been told. */
  note(taken: TakenStep): 'fine' | 'hint' | 'stuck' {
    this.#taken.push(taken)
    if (!this.#repeats(taken)) return 'fine'
    if (this.#isTold) return 'stuck'
    this.#isTold = true
    return 'hint'
  }

  #repeats({ step, url, page }: TakenStep): boolean {
    const same = this.#taken
      .slice(-SAME_STEP.last)
      .filter((other) => other.page === page && keyOf(other.step) === keyOf(step))
    const alike = this.#taken
      .slice(-SAME_KIND.last)
      .filter((other) => other.step.type === step.type && other.url === url && other.page === page)
    return same.length >= SAME_STEP.times || alike.length >= SAME_KIND.times
  }
}

const keyOf = (step: PageStep): string => `${step.type} ${'ref' in step ? step.ref : ''}`
