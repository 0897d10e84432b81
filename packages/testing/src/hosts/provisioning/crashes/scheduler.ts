import type { Random } from '../../../simulator/random.ts'

/** The end of a process: nothing of it runs any more. Inside a transaction it is thrown, to undo it. */
export class Killed extends Error {
  override readonly name = 'Killed'
}

// A promise of each wait: one for all would hold on to everything that was ever killed.
const never = (): Promise<never> => new Promise(() => {})

interface Arrival {
  readonly process: Process
  readonly go: () => void
}

/** The place of a kill: before or after the thing that the n-th wait is for. */
export interface KillPoint {
  readonly wait: number
  readonly side: 'before' | 'after'
}

/** The place where a process stands still, and the events until it goes on. */
export interface StallPoint {
  /** The n-th wait, or the first of this name. */
  readonly wait: number | 'send'
  readonly side: KillPoint['side']
  readonly meanwhile: () => Promise<void>
}

/** A process of the control plane, which may be killed, or stand still, at any of its waits. */
export class Process {
  isDead = false
  readonly #scheduler: Scheduler
  #kill: KillPoint | undefined
  #stall: StallPoint | undefined
  #waits = 0

  constructor(scheduler: Scheduler, kill: KillPoint | undefined) {
    this.#scheduler = scheduler
    this.#kill = kill
  }

  /** Counts waits anew, for the next call that it serves. */
  arm(kill: KillPoint | undefined, stall?: StallPoint): void {
    this.#kill = kill
    this.#stall = stall
    this.#waits = 0
  }

  /** Does something that a process waits for, when it is this process' turn. */
  async wait<T>(work: () => Promise<T>, name?: 'send'): Promise<T> {
    if (this.isDead) return never()
    await this.#scheduler.turn(this)
    if (this.#isKilled('before')) return never()
    await this.#standStill('before', name)
    const result = await work().catch((error: unknown) => {
      if (error instanceof Killed) return never()
      throw error
    })
    if (this.#isKilled('after')) return never()
    await this.#standStill('after', name)
    return result
  }

  /** Does something inside a transaction, which no other process sees. @throws Killed */
  async waitInside<T>(work: () => Promise<T>): Promise<T> {
    this.#waits += 1
    if (this.#isKilled('before', 0)) throw new Killed()
    const result = await work()
    if (this.#isKilled('after', 0)) throw new Killed()
    return result
  }

  // Nobody stands still inside a transaction, which would keep the others out.
  async #standStill(side: KillPoint['side'], name: 'send' | undefined): Promise<void> {
    const stall = this.#stall
    if (stall?.side !== side || (stall.wait !== this.#waits && stall.wait !== name)) return
    this.#stall = undefined
    await this.#scheduler.without(this, stall.meanwhile)
  }

  #isKilled(side: KillPoint['side'], counts = side === 'before' ? 1 : 0): boolean {
    this.#waits += counts
    if (this.#kill?.wait !== this.#waits || this.#kill.side !== side) return this.isDead
    this.isDead = true
    this.#scheduler.died(this)
    return true
  }
}

interface Work {
  readonly process: Process
  readonly work: () => Promise<unknown>
}

/** Lets processes that run at the same time take turns, in an order that a seed draws. */
export class Scheduler {
  readonly #random: Random
  readonly #running = new Set<Process>()
  readonly #ends = new Map<Process, () => void>()
  readonly #faults: unknown[] = []
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
    this.#over(process)
  }

  /** Begins the work of a process, which takes its turns from now on. Ends when it has, or was killed. */
  begin({ process, work }: Work): Promise<void> {
    this.#running.add(process)
    return new Promise((end) => {
      this.#ends.set(process, end)
      work()
        .catch((error: unknown) => this.#faults.push(error))
        .finally(() => this.#over(process))
    })
  }

  /** Does something while a process stands still. */
  async without(process: Process, meanwhile: () => Promise<void>): Promise<void> {
    this.#running.delete(process)
    await meanwhile()
    this.#running.add(process)
  }

  /** Runs processes until each has ended, or was killed. */
  async run(works: readonly Work[]): Promise<void> {
    for (const work of works) void this.begin(work)
    while (this.#running.size > 0) {
      await new Promise((resolve) => setImmediate(resolve))
      // A process that is between two waits gets to the next one first.
      const waiting = new Set(this.#arrivals.map(({ process }) => process))
      if ([...this.#running].some((process) => !waiting.has(process))) continue
      const [next] = this.#arrivals.splice(this.#random.between(0, this.#arrivals.length - 1), 1)
      if (next?.process.isDead === false) next.go()
    }
    this.#arrivals.length = 0
    if (this.#faults.length > 0) throw this.#faults.splice(0)[0]
  }

  #over(process: Process): void {
    this.#running.delete(process)
    this.#ends.get(process)?.()
    this.#ends.delete(process)
  }
}
