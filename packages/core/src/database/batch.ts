import { Problem } from '../problem.ts'
import { StrayAnswer } from './answers.ts'
import { FlushPolicy } from './flush-policy.ts'

/** How items become one statement. */
export interface BatchParts<Item, Result> {
  /** Runs one statement for all of `items`; the results stand in their order, matched by `matched`. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>
  /**
   * Items with one key never travel together or at once, and go in the order they came. Absent: they all may.
   */
  readonly keyOf?: (item: Item) => string
  /**
   * Whose item it is: while more wait than one statement takes, nobody has more than a quarter of it, unless
   * the others leave room.
   */
  readonly shareOf?: (item: Item) => string
  /**
   * Whether half of the crowd that comes goes at once while the turn still brings more, so that database and
   * process work at the same time: for statements that cost little beside their items. Default: never.
   */
  readonly goesEarly?: () => boolean
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

/** What one statement carries. */
interface Load<Item, Result> {
  readonly items: readonly Waiting<Item, Result>[]
  readonly keys: ReadonlySet<string>
}

/**
 * Items one statement carries at most. With 256 each costs a tenth less, but what comes at once then goes at
 * once, and process and database wait for each other: 256 hosts get 1.3 times as many jobs with 128.
 */
export const MAX_ITEMS = 128
const LANES = 2
/** Items that may wait; more are told to come back, so that a slow database does not fill the memory. */
const MAX_WAITING = 5000
/** How long an item may wait for its turn, as long as a connection may be waited for. */
const MAX_WAIT_MS = 2000

/**
 * Natural group commit: what arrives while a statement is under way travels together in the next one. No
 * timer, since one of 1 ms halves the gain (2.4 against 3.6 times one statement a request). Every caller is
 * answered after the commit of its own statement, and an item that fails does not fail its neighbours.
 */
export class Batch<Item, Result> {
  readonly #parts: BatchParts<Item, Result>
  readonly #elapsedMs: () => number
  readonly #lanes: number
  readonly #flush: FlushPolicy
  #waiting: Waiting<Item, Result>[] = []
  // No set that keys enter and leave for ever: its outgrown tables refer to the newer ones, so that young
  // collections take them all for alive (0.4 MB of 34 at each).
  #underWay: readonly Load<Item, Result>[] = []
  #armed = false

  constructor(parts: BatchParts<Item, Result>) {
    this.#parts = parts
    this.#elapsedMs = parts.elapsedMs ?? (() => performance.now())
    this.#lanes = parts.lanes ?? LANES
    const goesEarly = () => parts.goesEarly?.() ?? false
    this.#flush = new FlushPolicy({ maxItems: MAX_ITEMS, lanes: this.#lanes, goesEarly })
  }

  /**
   * @throws Problem `unavailable` when too many wait, or this item waits too long; what `run` throws for it
   */
  add(item: Item): Promise<Result> {
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(tooBusy())
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject, since: this.#elapsedMs() })
      this.#flush.arrived()
      if (!this.#armed) this.#sendAfterTurn()
      // Not at each that comes: those that wait for one key would all be looked at each time.
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

  // What may go now leaves the queue; what has to wait keeps its order. Statements that are stuck bring the
  // end of their limit one after the other: who has waited through one of them is not made to wait through
  // the next.
  #load(): Load<Item, Result> {
    const { shareOf } = this.#parts
    const tooOld = this.#elapsedMs() - MAX_WAIT_MS
    const waiting = this.#waiting.filter((each) => {
      if (each.since >= tooOld) return true
      this.#flush.answered(1)
      each.reject(tooBusy())
      return false
    })
    const most = this.#flush.mostItems
    const load = { items: [], keys: new Set<string>(), most }
    this.#waiting =
      shareOf !== undefined && waiting.length > most
        ? this.#take(load, this.#take(load, waiting, shareOf))
        : this.#take(load, waiting)
    return load
  }

  // Puts into `load` what may go, and gives back what may not.
  #take(
    { items, keys, most }: { items: Waiting<Item, Result>[]; keys: Set<string>; most: number },
    waiting: readonly Waiting<Item, Result>[],
    shareOf?: (item: Item) => string,
  ): Waiting<Item, Result>[] {
    const shares = new Map<string, number>()
    return waiting.filter((each) => {
      const key = this.#parts.keyOf?.(each.item)
      const owner = shareOf?.(each.item) ?? ''
      const taken = shares.get(owner) ?? 0
      const isFull = items.length === most || (shareOf !== undefined && taken >= most / 4)
      if (isFull || this.#isBusy(key, keys)) return true
      if (key !== undefined) keys.add(key)
      shares.set(owner, taken + 1)
      items.push(each)
      return false
    })
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
    // Who was answered may come again within the turn.
    if (this.#waiting.length >= this.#flush.mostItems || !this.#flush.mayFlushEarly) this.#send()
    else if (!this.#armed) this.#sendAfterTurn()
  }

  // Halves find one bad item in 64 with 13 statements, one by one takes 65.
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

// A statement that went astray has been committed: sent again it would hand out other jobs, and count
// heartbeats twice.
const isHopeless = (error: unknown): boolean =>
  error instanceof StrayAnswer || (error instanceof Problem && error.code === 'unavailable')

const tooBusy = () => new Problem('unavailable', { detail: 'the database is too busy', retryAfterSeconds: 1 })
