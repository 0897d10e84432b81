import { MAX_ITEMS } from '../../../packages/core/src/platform/database/batch.ts'

/**
 * Collects items that arrive while a statement is under way and sends them together in the next one, at most
 * as many as the product does. It does nothing else, so it shows the limit of every design that batches like
 * this, the product's included.
 */
export class BareBatch<Item, Answer> {
  readonly #run: (items: readonly Item[]) => Promise<readonly Answer[]>
  readonly #lanes: number
  readonly #waiting: {
    readonly item: Item
    readonly answer: (answer: Answer) => void
    readonly fail: (error: unknown) => void
  }[] = []
  #armed = false
  #underWay = 0

  /** `lanes`: statements under way at once. */
  constructor(run: (items: readonly Item[]) => Promise<readonly Answer[]>, lanes = 2) {
    this.#run = run
    this.#lanes = lanes
  }

  ask(item: Item): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    this.#waiting.push({ item, answer: resolve, fail: reject })
    this.#arm()
    return promise
  }

  #arm(): void {
    if (this.#armed || this.#underWay >= this.#lanes || this.#waiting.length === 0) return
    this.#armed = true
    setImmediate(() => void this.#flush())
  }

  async #flush(): Promise<void> {
    this.#armed = false
    const taken = this.#waiting.splice(0, MAX_ITEMS)
    this.#underWay += 1
    this.#arm()
    try {
      const answers = await this.#run(taken.map(({ item }) => item))
      for (const [index, { answer }] of taken.entries()) answer(answers[index] as Answer)
    } catch (error) {
      for (const { fail } of taken) fail(error)
    }
    this.#underWay -= 1
    this.#arm()
  }
}
