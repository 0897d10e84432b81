import type { Base } from '../../platform/base.ts'
import type { Hearer, Signal, SignalSource } from '../../platform/signals/signal.ts'
import type { AccessHost } from './access-sessions-store.ts'

/** Dependencies of `AccessWaiters`. */
export interface AccessWaitersParts extends Pick<Base, 'timers'> {
  /** Hosts that a session waits for. */
  readonly due: () => Promise<readonly AccessHost[]>
  readonly signals: SignalSource
  /** Aborted when nobody shall wait any more. */
  readonly draining: AbortSignal
}

/**
 * Hosts that wait for a session with a request of their own. A signal of the database wakes them, on whatever
 * replica the session was opened.
 */
export class AccessWaiters implements Hearer {
  readonly #parts: AccessWaitersParts
  readonly #waiting = new Map<string, Set<() => void>>()
  #count = 0

  constructor(parts: AccessWaitersParts) {
    this.#parts = parts
    parts.signals.join(this)
    parts.draining.addEventListener('abort', () => {
      for (const key of this.#waiting.keys()) this.#wake(key)
    })
  }

  /** The number of hosts that wait. */
  get size(): number {
    return this.#count
  }

  get isWaiting(): boolean {
    return this.#count > 0
  }

  /** Whether nobody may wait any more. */
  get isClosed(): boolean {
    return this.#parts.draining.aborted
  }

  /** Waits until there may be a session for the host, `ms` have passed, or `gone` is aborted. */
  async wait(host: AccessHost, ms: number, gone: AbortSignal): Promise<void> {
    const { timers, draining, signals } = this.#parts
    if (gone.aborted || draining.aborted) return
    const over = new AbortController()
    const wake = () => over.abort()
    const key = keyOf(host)
    const others = this.#waiting.get(key) ?? new Set()
    this.#waiting.set(key, others.add(wake))
    gone.addEventListener('abort', wake, { once: true })
    this.#count += 1
    signals.begin()
    try {
      await timers.pause(ms, over.signal)
    } finally {
      this.#count -= 1
      gone.removeEventListener('abort', wake)
      others.delete(wake)
      if (others.size === 0 && this.#waiting.get(key) === others) this.#waiting.delete(key)
    }
  }

  hear(signal: Signal): void {
    if (signal.kind === 'access') this.#wake(keyOf(signal))
  }

  /** Sessions that wait for a host, for those who wait with a claim too. */
  async look(): Promise<readonly Signal[]> {
    return (await this.#parts.due()).map((host) => ({ kind: 'access', ...host }))
  }

  #wake(key: string): void {
    for (const wake of this.#waiting.get(key) ?? []) wake()
  }
}

const keyOf = ({ licenseId, fingerprint }: AccessHost): string => JSON.stringify([licenseId, fingerprint])
