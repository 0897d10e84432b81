import { Problem } from '../../kernel/problem.ts'
import { StrayAnswer } from './answers.ts'
import { FlushPolicy } from './flush-policy.ts'

/** How items become one statement. */
export interface BatchParts<Item, Result> {
  /** Runs one statement for all of `items`; the results stand in their order, matched by `matched`. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>
  /**
   * The key of an item. Items with the same key run one after the other, in order, and never in one
   * statement. Default: no key.
   */
  readonly serialKeyOf?: (item: Item) => string
  /**
   * Whether to send a half batch before the event-loop turn ends, so that PostgreSQL works while we still
   * read sockets. Only for statements with a small fixed cost. Default: never.
   */
  readonly mayFlushEarly?: () => boolean
  /** Statements under way at once; default 2: the second hides the commit of the first. */
  readonly lanes?: number
  /** Milliseconds since some instant; default: the machine's. */
  readonly elapsedMs?: () => number
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
  readonly since: number
}

/** The items of one statement. */
interface Load<Item, Result> {
  readonly items: readonly Waiting<Item, Result>[]
  readonly keys: ReadonlySet<string>
}

/**
 * Items that one statement carries at most. With 256 an item costs less, but process and database then wait
 * for each other: 256 hosts get 1.3 times as many jobs with 128.
 */
export const MAX_ITEMS = 128
const LANES = 2
/** Items that may wait; more are refused, so that a slow database does not fill the memory. */
const MAX_WAITING = 5000
/** How long an item may wait, in milliseconds: as long as a request may wait for a connection. */
const MAX_WAIT_MS = 2000

/**
 * Natural group commit: items that arrive while a statement is under way go together in the next one. It has
 * no timer, since one of 1 ms takes half of the gain. Every caller is answered after the commit of its own
 * statement, and an item that fails does not fail its neighbours.
 */
export class Batch<Item, Result> {
  readonly #parts: BatchParts<Item, Result>
  readonly #elapsedMs: () => number
  readonly #lanes: number
  readonly #flush: FlushPolicy
  #waiting: Waiting<Item, Result>[] = []
  // No long-lived set of keys: V8 keeps its outgrown tables alive through young collections.
  #underWay: readonly Load<Item, Result>[] = []
  #armed = false

  constructor(parts: BatchParts<Item, Result>) {
    this.#parts = parts
    this.#elapsedMs = parts.elapsedMs ?? (() => performance.now())
    this.#lanes = parts.lanes ?? LANES
    const mayFlushEarly = () => parts.mayFlushEarly?.() ?? false
    this.#flush = new FlushPolicy({ maxItems: MAX_ITEMS, lanes: this.#lanes, mayFlushEarly })
  }

  /**
   * @throws Problem `unavailable` when too many wait, or this item waits too long; the error of `run` for it
   */
  add(item: Item): Promise<Result> {
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(tooBusy())
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject, since: this.#elapsedMs() })
      this.#flush.arrived()
      if (!this.#armed) this.#sendAfterTurn()
      // Not at each item: each time the queue is scanned for items whose key is free.
      else if (this.#waiting.length % this.#flush.mostItems === 0 && this.#flush.mayFlushEarly) this.#send()
    })
  }

  #sendAfterTurn(): void {
    this.#armed = true
    setImmediate(() => {
      this.#armed = false
      this.#send()
    })
  }

  #send(): void {
    while (this.#underWay.length < this.#lanes) {
      const load = this.#load()
      if (load.items.length === 0) return
      this.#flush.sent()
      this.#underWay = [...this.#underWay, load]
      void this.#carry(load)
    }
  }

  // Takes the items that may go now out of the queue; the others keep their order. Items that have waited too
  // long are refused: after one stuck statement they must not wait for a second.
  #load(): Load<Item, Result> {
    const tooOld = this.#elapsedMs() - MAX_WAIT_MS
    const waiting = this.#waiting.filter((each) => {
      if (each.since >= tooOld) return true
      this.#flush.answered(1)
      each.reject(tooBusy())
      return false
    })
    const items: Waiting<Item, Result>[] = []
    const keys = new Set<string>()
    const most = this.#flush.mostItems
    this.#waiting = waiting.filter((each) => {
      const key = this.#parts.serialKeyOf?.(each.item)
      if (items.length === most || this.#isBusy(key, keys)) return true
      if (key !== undefined) keys.add(key)
      items.push(each)
      return false
    })
    return { items, keys }
  }

  #isBusy(key: string | undefined, loading: ReadonlySet<string>): boolean {
    if (key === undefined) return false
    return loading.has(key) || this.#underWay.some(({ keys }) => keys.has(key))
  }

  async #carry(load: Load<Item, Result>): Promise<void> {
    const sentAt = this.#elapsedMs()
    await this.#run(load.items)
    this.#flush.took(this.#elapsedMs() - sentAt)
    this.#underWay = this.#underWay.filter((other) => other !== load)
    // Answered callers may send their next item within this turn.
    if (this.#waiting.length >= this.#flush.mostItems || !this.#flush.mayFlushEarly) this.#send()
    else if (!this.#armed) this.#sendAfterTurn()
  }

  // A failed statement is halved: one bad item in 64 is found with 13 statements.
  async #run(load: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#parts.run(load.map(({ item }) => item))
      if (results.length !== load.length) throw new Error('a batch must answer each of its items')
      this.#flush.answered(load.length)
      for (const [index, { resolve }] of load.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (load.length === 1 || isHopeless(error)) {
        this.#flush.answered(load.length)
        for (const { reject } of load) reject(error)
      } else {
        const middle = Math.ceil(load.length / 2)
        await this.#run(load.slice(0, middle))
        await this.#run(load.slice(middle))
      }
    }
  }
}

// A statement with a stray answer has been committed: sent again it would hand out other jobs, and count
// heartbeats twice.
const isHopeless = (error: unknown): boolean =>
  error instanceof StrayAnswer || (error instanceof Problem && error.code === 'unavailable')

const tooBusy = () => new Problem('unavailable', { detail: 'the database is too busy', retryAfterSeconds: 1 })
