/** Error for work that the full queue refused. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull'
}

interface Turn {
  begin(): void
  refuse(): void
}

/**
 * Runs a limited amount of work at a time and queues the rest. The queue has a line for each crowd, and the
 * crowds take turns. If it is full, a newcomer replaces the last of the longest crowd, unless its own crowd
 * is as long.
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

  /**
   * Runs `work` when it is its turn. @throws QueueFull if the queue is full, or a later newcomer takes the
   * place
   */
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

  /** Removes the last of the longest crowd. @throws QueueFull if the newcomer's crowd would be as long */
  #makeRoom(own: number): void {
    const longest = [...this.#crowds.values()].reduce((one, other) =>
      other.length > one.length ? other : one,
    )
    if (longest.length <= own + 1) throw new QueueFull()
    longest.pop()?.refuse()
    this.#waiting -= 1
  }

  /** Starts the next work of the crowd whose last turn is the longest ago. Returns false if none waits. */
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
