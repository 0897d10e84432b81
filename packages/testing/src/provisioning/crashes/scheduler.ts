import type { Random } from '../../simulator/random.ts'

/** The end of a process: nothing of it runs any more. Inside a transaction it is thrown, to undo it. */
export class Killed extends Error {
  override readonly name = 'Killed'
}

const NEVER = new Promise<never>(() => {})

interface Arrival {
  readonly process: Process
  readonly go: () => void
}

/** The place of a kill: before or after the thing that the n-th wait is for. */
export interface KillPoint {
  readonly wait: number
  readonly side: 'before' | 'after'
}

/** A process of the control plane, which may be killed at any of its waits. */
export class Process {
  isDead = false
  readonly #scheduler: Scheduler
  #kill: KillPoint | undefined
  #waits = 0

  constructor(scheduler: Scheduler, kill: KillPoint | undefined) {
    this.#scheduler = scheduler
    this.#kill = kill
  }

  /** Counts waits anew, for the next call that it serves. */
  arm(kill: KillPoint | undefined): void {
    this.#kill = kill
    this.#waits = 0
  }

  /** Does something that a process waits for, when it is this process' turn. */
  async wait<T>(work: () => Promise<T>): Promise<T> {
    if (this.isDead) return NEVER
    await this.#scheduler.turn(this)
    if (this.#isKilled('before')) return NEVER
    const result = await work().catch((error: unknown) => {
      if (error instanceof Killed) return NEVER
      throw error
    })
    return this.#isKilled('after') ? NEVER : result
  }

  /** Does something inside a transaction, which no other process sees. @throws Killed */
  async waitInside<T>(work: () => Promise<T>): Promise<T> {
    this.#waits += 1
    if (this.#isKilled('before', 0)) throw new Killed()
    const result = await work()
    if (this.#isKilled('after', 0)) throw new Killed()
    return result
  }

  #isKilled(side: KillPoint['side'], counts = side === 'before' ? 1 : 0): boolean {
    this.#waits += counts
    if (this.#kill?.wait !== this.#waits || this.#kill.side !== side) return this.isDead
    this.isDead = true
    this.#scheduler.died(this)
    return true
  }
}

/** Lets processes that run at the same time take turns, in an order that a seed draws. */
export class Scheduler {
  readonly #random: Random
  readonly #running = new Set<Process>()
  readonly #arrivals: Arrival[] = []
  kills = 0

  constructor(random: Random) {
    this.#random = random
  }

  /** Waits until this process may go on. */
  turn(process: Process): Promise<void> {
    return new Promise((go) => this.#arrivals.push({ process, go }))
  }

  died(process: Process): void {
    this.kills += 1
    this.#running.delete(process)
  }

  /** Runs processes until each has ended, or was killed. */
  async run(
    works: readonly { readonly process: Process; readonly work: () => Promise<unknown> }[],
  ): Promise<void> {
    const faults: unknown[] = []
    for (const { process, work } of works) {
      this.#running.add(process)
      work()
        .catch((error: unknown) => faults.push(error))
        .finally(() => this.#running.delete(process))
    }
    while (this.#running.size > 0) {
      await new Promise((resolve) => setImmediate(resolve))
      // A process that is between two waits gets to the next one first.
      const waiting = new Set(this.#arrivals.map(({ process }) => process))
      if ([...this.#running].some((process) => !waiting.has(process))) continue
      const [next] = this.#arrivals.splice(this.#random.between(0, this.#arrivals.length - 1), 1)
      if (next?.process.isDead === false) next.go()
    }
    this.#arrivals.length = 0
    if (faults.length > 0) throw faults[0]
  }
}
