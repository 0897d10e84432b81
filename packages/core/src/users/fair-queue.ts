/** Refused because too much waits already. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull'
}

interface Turn {
  begin(): void
  refuse(): void
}

/**
 * Runs so much work at a time. The rest waits, each behind its own crowd alone: the crowds take turns. When
 * the queue is full, a newcomer takes the last place of the longest crowd, unless its own is as long.
 */
export class FairQueue {
  readonly #atOnce: number
  readonly #places: number
  readonly #crowds = new Map<string, Turn[]>()
  #running = 0
  #waiting = 0

  constructor(atOnce: number, places: number) {
    this.#atOnce = atOnce
    this.#places = places
  }

  /** @throws QueueFull when there is no place to wait in, or somebody else gets it */
  async run<T>(crowd: string, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running += 1
    else await this.#turn(crowd)
    try {
      return await work()
    } finally {
      if (!this.#beginNext()) this.#running -= 1
    }
  }

  #turn(crowd: string): Promise<void> {
    if (this.#waiting >= this.#places) this.#makeRoom(this.#crowds.get(crowd)?.length ?? 0)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const turns = this.#crowds.get(crowd) ?? []
    turns.push({ begin: resolve, refuse: () => reject(new QueueFull()) })
    this.#crowds.set(crowd, turns)
    this.#waiting += 1
    return promise
  }

  /** @throws QueueFull when no crowd is longer than the newcomer's would be */
  #makeRoom(own: number): void {
    const longest = [...this.#crowds.values()].reduce((one, other) =>
      other.length > one.length ? other : one,
    )
    if (longest.length <= own + 1) throw new QueueFull()
    longest.pop()?.refuse()
    this.#waiting -= 1
  }

  /** The crowd that has waited longest since its last turn has the next; false: nobody waits. */
  #beginNext(): boolean {
    const [next] = this.#crowds
    if (next === undefined) return false
    const [crowd, turns] = next
    const turn = turns.shift()
    this.#crowds.delete(crowd)
    if (turns.length > 0) this.#crowds.set(crowd, turns)
    this.#waiting -= 1
    turn?.begin()
    return true
  }
}
