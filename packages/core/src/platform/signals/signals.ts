import type { Base } from '../base.ts'
import { type Hearer, LOOK_MS, readSignal, type Signal } from './signal.ts'

/** Time between two looks while the database's signals do not arrive. */
const DEAF_LOOK_MS = 1000
/** How long an echo may take before signals count as lost. */
const ECHO_MS = 2000
/** Time between two tries to hear the database. */
const RETRY_MS = 30_000
const NONCE_BYTES = 12
const DEAF = 'waiting hosts are not woken by the database: a statement a second looks for their work'

/** Dependencies of `Signals`. */
export interface SignalsParts extends Pick<Base, 'storage' | 'timers' | 'log' | 'ids'> {
  /** Aborted when nobody shall wait any more. */
  readonly draining: AbortSignal
}

/**
 * Hears the database's signals, with one connection for the whole process, while anybody waits for one.
 * Signals may get lost (a connection breaks, a pooler does not pass them on), so everybody who waits looks
 * every 15 s, and every second while an echo does not come back.
 */
export class Signals {
  readonly #parts: SignalsParts
  readonly #hearers: Hearer[] = []
  #isRunning = false
  #line: AsyncDisposable | undefined
  #broken = new AbortController()
  #echoed: { readonly nonce: string; readonly heard: () => void } | undefined
  #triedMs = Number.NEGATIVE_INFINITY
  #isHearing = false

  constructor(parts: SignalsParts) {
    this.#parts = parts
  }

  /** Whether the database's signals arrive. */
  get isHearing(): boolean {
    return this.#isHearing
  }

  /** Adds somebody who hears all signals from now on. */
  join(hearer: Hearer): void {
    this.#hearers.push(hearer)
  }

  /** Begins to hear, when the first one waits; ends by itself after the last. */
  begin(): void {
    if (this.#isRunning || this.#parts.draining.aborted) return
    this.#isRunning = true
    void this.#run().finally(() => {
      this.#isRunning = false
      // Somebody may have begun to wait since the last look.
      if (this.#isAnyoneWaiting) this.begin()
    })
  }

  get #isAnyoneWaiting(): boolean {
    return !this.#parts.draining.aborted && this.#hearers.some(({ isWaiting }) => isWaiting)
  }

  async #run(): Promise<void> {
    const { timers, draining } = this.#parts
    while (this.#isAnyoneWaiting) {
      await this.#listen()
      await this.#look()
      const restless = AbortSignal.any([draining, this.#broken.signal])
      await timers.pause(this.#isHearing ? LOOK_MS : DEAF_LOOK_MS, restless)
    }
  }

  #tell(signal: Signal): void {
    for (const hearer of this.#hearers) hearer.hear(signal)
  }

  async #look(): Promise<void> {
    for (const hearer of this.#hearers) {
      try {
        for (const signal of await hearer.look()) this.#tell(signal)
      } catch (err) {
        this.#parts.log.warn({ err }, 'a look for work of waiting hosts failed; trying again')
      }
    }
  }

  /** Sees to it that signals arrive, and finds out whether they do. */
  async #listen(): Promise<void> {
    const { log } = this.#parts
    const wasHearing = this.#isHearing
    if (this.#line === undefined) await this.#connect()
    this.#isHearing = this.#line !== undefined && (await this.#isEchoed())
    if (!this.#isHearing) await this.#hangUp()
    if (wasHearing && !this.#isHearing) log.warn({ lookMs: DEAF_LOOK_MS }, DEAF)
    else if (!wasHearing && this.#isHearing)
      log.info({ lookMs: LOOK_MS }, 'waiting hosts are woken by the database')
  }

  async #connect(): Promise<void> {
    const { storage, timers } = this.#parts
    if (timers.elapsedMs() - this.#triedMs < RETRY_MS) return
    this.#triedMs = timers.elapsedMs()
    const broken = new AbortController()
    this.#broken = broken
    const lost = () => {
      // A connection that broke is replaced at once, one that could not be made is not.
      this.#triedMs = Number.NEGATIVE_INFINITY
      this.#isHearing = false
      this.#line = undefined
      broken.abort()
    }
    const line = await storage.hearSignals((text) => this.#hear(text), lost).catch(() => undefined)
    this.#line = broken.signal.aborted ? undefined : line
  }

  async #isEchoed(): Promise<boolean> {
    const { storage, timers, ids } = this.#parts
    const nonce = ids.secret(NONCE_BYTES)
    const over = new AbortController()
    this.#echoed = { nonce, heard: () => over.abort() }
    try {
      await storage.signal(`echo ${nonce}`)
      await timers.pause(ECHO_MS, AbortSignal.any([over.signal, this.#broken.signal]))
    } catch {
      // The database cannot be reached for now.
    }
    this.#echoed = undefined
    return over.signal.aborted
  }

  async #hangUp(): Promise<void> {
    const line = this.#line
    this.#line = undefined
    await line?.[Symbol.asyncDispose]()
  }

  #hear(text: string): void {
    const signal = readSignal(text)
    if (signal === undefined) return
    if (signal.kind !== 'echo') this.#tell(signal)
    else if (signal.nonce === this.#echoed?.nonce) this.#echoed.heard()
  }
}
