import { Problem } from '../../kernel/problem.ts'
import type { Timers } from '../../kernel/timers.ts'
import type { BrowserPage } from './browser-page.ts'

/** A page that is kept for later calls of the same caller. */
export interface BrowserSession {
  readonly id: string
  readonly callerId: string
  readonly page: BrowserPage
  /** Domains that the page may go to. */
  readonly domains: readonly string[]
  /** Values that were lent to the page, by name: they are taken out of all its content. */
  variables: Readonly<Record<string, string>>
}

interface Kept {
  readonly session: BrowserSession
  isBusy: boolean
  usedAtMs: number
}

/** Sessions of all callers, and of one. */
const MOST = 16
const MOST_OF_ONE = 4
const RETRY_SECONDS = 30
const LOOK_MS = 1000

/** Dependencies of `BrowserSessions`. */
export interface BrowserSessionsParts {
  readonly timers: Timers
  /** How long a session is kept unused. */
  readonly idleSeconds: number
}

/** Pages between the calls of the agent route. Each ends when nobody used it for a while. */
export class BrowserSessions implements AsyncDisposable {
  readonly #parts: BrowserSessionsParts
  readonly #kept = new Map<string, Kept>()
  readonly #closing = new AbortController()
  #isLooking = false

  constructor(parts: BrowserSessionsParts) {
    this.#parts = parts
  }

  /**
   * Makes room for a session of this caller, whose longest unused session goes for it.
   * @throws Problem `rate-limited` when others have all of them
   */
  async makeRoom(callerId: string): Promise<void> {
    await this.#sweep()
    const own = [...this.#kept.values()].filter(({ session }) => session.callerId === callerId)
    if (own.length < MOST_OF_ONE && this.#kept.size < MOST) return
    const [oldest] = own
      .filter(({ isBusy }) => !isBusy)
      .toSorted((one, other) => one.usedAtMs - other.usedAtMs)
    if (oldest === undefined) throw new Problem('rate-limited', { retryAfterSeconds: RETRY_SECONDS })
    await this.close(oldest.session)
  }

  /** Keeps a session, which is in use at first. */
  add(session: BrowserSession): void {
    this.#kept.set(session.id, { session, isBusy: true, usedAtMs: this.#parts.timers.elapsedMs() })
    if (!this.#isLooking) void this.#look()
  }

  /**
   * Takes a session into use. A session of another caller is as unknown as one that has ended.
   * @throws Problem `session-not-found`, `session-busy`
   */
  async take(id: string, callerId: string): Promise<BrowserSession> {
    await this.#sweep()
    const kept = this.#kept.get(id)
    if (kept === undefined || kept.session.callerId !== callerId) throw new Problem('session-not-found')
    if (kept.isBusy) throw new Problem('session-busy')
    kept.isBusy = true
    return kept.session
  }

  /** Puts a session back: its idle time begins. */
  release({ id }: BrowserSession): void {
    const kept = this.#kept.get(id)
    if (kept === undefined) return
    kept.isBusy = false
    kept.usedAtMs = this.#parts.timers.elapsedMs()
  }

  /** Ends a session. */
  async close({ id, page }: BrowserSession): Promise<void> {
    this.#kept.delete(id)
    await page[Symbol.asyncDispose]()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#kept.values()].map(({ session }) => this.close(session)))
  }

  /** Looks after idle sessions for as long as there are any. */
  async #look(): Promise<void> {
    this.#isLooking = true
    while (this.#kept.size > 0 && !this.#closing.signal.aborted) {
      await this.#parts.timers.pause(LOOK_MS, this.#closing.signal)
      await this.#sweep()
    }
    this.#isLooking = false
  }

  async #sweep(): Promise<void> {
    const { timers, idleSeconds } = this.#parts
    const end = timers.elapsedMs() - idleSeconds * 1000
    const over = [...this.#kept.values()].filter(({ isBusy, usedAtMs }) => !isBusy && usedAtMs <= end)
    await Promise.all(over.map(({ session }) => this.close(session)))
  }
}
