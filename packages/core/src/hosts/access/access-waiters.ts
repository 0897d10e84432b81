import type { Base } from '../../platform/base.ts'
import type { AccessHost } from './access-sessions-store.ts'

/**
 * How often waiting hosts are compared with the sessions that other replicas have opened, in milliseconds.
 */
const LOOK_MS = 1000

/** Dependencies of `AccessWaiters`. */
export interface AccessWaitersParts extends Pick<Base, 'timers' | 'log'> {
  /** Hosts that a session waits for. */
  readonly due: () => Promise<readonly AccessHost[]>
  /** Aborted when nobody shall wait any more. */
  readonly draining: AbortSignal
}

/**
 * Hosts that wait for a session. A session opened by this process wakes its host at once; for other replicas'
 * sessions one statement a second looks for all hosts together.
 */
export class AccessWaiters {
  readonly #parts: AccessWaitersParts
  readonly #waiting = new Map<string, Set<() => void>>()
  #count = 0
  #isLooking = false

  constructor(parts: AccessWaitersParts) {
    this.#parts = parts
    parts.draining.addEventListener('abort', () => {
      for (const key of this.#waiting.keys()) this.#wakeKey(key)
    })
  }

  /** The number of hosts that wait. */
  get size(): number {
    return this.#count
  }

  /** Whether nobody may wait any more. */
  get isClosed(): boolean {
    return this.#parts.draining.aborted
  }

  /** Waits until there may be a session for the host, `ms` have passed, or `gone` is aborted. */
  async wait(host: AccessHost, ms: number, gone: AbortSignal): Promise<void> {
    const { timers, draining } = this.#parts
    if (gone.aborted || draining.aborted) return
    const over = new AbortController()
    const wake = () => over.abort()
    const key = keyOf(host)
    const others = this.#waiting.get(key) ?? new Set()
    this.#waiting.set(key, others.add(wake))
    gone.addEventListener('abort', wake, { once: true })
    this.#count += 1
    this.#look()
    try {
      await timers.pause(ms, over.signal)
    } finally {
      this.#count -= 1
      gone.removeEventListener('abort', wake)
      others.delete(wake)
      if (others.size === 0 && this.#waiting.get(key) === others) this.#waiting.delete(key)
    }
  }

  /** Wakes a host that waits. */
  wake(host: AccessHost): void {
    this.#wakeKey(keyOf(host))
  }

  #wakeKey(key: string): void {
    for (const wake of this.#waiting.get(key) ?? []) wake()
  }

  #look(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    void this.#lookWhileWaited().finally(() => {
      this.#isLooking = false
    })
  }

  async #lookWhileWaited(): Promise<void> {
    const { timers, log, due, draining } = this.#parts
    while (this.#count > 0 && !draining.aborted) {
      await timers.pause(LOOK_MS, draining)
      if (this.#count === 0) return
      try {
        for (const host of await due()) this.wake(host)
      } catch (err) {
        log.warn({ err }, 'waiting hosts could not be compared with open sessions; trying again')
      }
    }
  }
}

const keyOf = ({ licenseId, fingerprint }: AccessHost): string => JSON.stringify([licenseId, fingerprint])
