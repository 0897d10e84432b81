import { Problem } from '../../kernel/problem.ts'
import type { Base } from '../../platform/base.ts'
import type { BrowserMetrics } from './browser-metrics.ts'
import type { BrowserWork } from './browser-store.ts'
import type { BrowserCaller } from './browser-token.ts'

/** Dependencies of a call's record. */
export interface BrowserCallParts extends Pick<Base, 'storage' | 'clock' | 'timers' | 'ids' | 'log'> {
  readonly metrics: BrowserMetrics
}

const DAY_MS = 86_400_000

/** One call of the browser worker: the row that notes it, from its beginning to its end. */
export class BrowserCall {
  /** The id that its answer bears. */
  readonly id: string
  readonly #parts: BrowserCallParts
  readonly #kind: BrowserWork
  readonly #startedMs: number
  #isOver = false

  private constructor(parts: BrowserCallParts, kind: BrowserWork) {
    this.#parts = parts
    this.#kind = kind
    this.id = parts.ids.next('brs')
    this.#startedMs = parts.timers.elapsedMs()
  }

  /**
   * Notes a call, and takes it off the caller's day.
   * @throws Problem `rate-limited` when the day is used up
   */
  static async begin(
    parts: BrowserCallParts,
    caller: BrowserCaller,
    { kind, host }: { readonly kind: BrowserWork; readonly host: string },
  ): Promise<BrowserCall> {
    const { storage, clock } = parts
    const call = new BrowserCall(parts, kind)
    const run = { id: call.id, tokenId: caller.id, kind, urlHost: host }
    if (await storage.browser.begin(run, caller.isStored, clock.statementTime())) return call
    const now = clock.now().getTime()
    const retryAfterSeconds = Math.ceil((DAY_MS - (now % DAY_MS)) / 1000)
    throw new Problem('rate-limited', { retryAfterSeconds })
  }

  get elapsedMs(): number {
    return Math.round(this.#parts.timers.elapsedMs() - this.#startedMs)
  }

  /** Notes the end; a second time does nothing. Never rejects: the answer does not depend on it. */
  async end(end: { status: string; steps?: number; bytes?: number; llmTokens?: number }): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    const { storage, metrics, log } = this.#parts
    const { status, steps = 0, bytes = 0, llmTokens = 0 } = end
    metrics.ended(this.#kind, status, bytes)
    try {
      await storage.browser.finish({ id: this.id, status, steps, ms: this.elapsedMs, bytes, llmTokens })
    } catch (error) {
      log.warn({ fault: error instanceof Error ? error.name : 'unknown' }, 'a browser run was not noted')
    }
  }
}
