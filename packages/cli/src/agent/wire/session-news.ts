import type { Answer } from '../../connect/http-client.ts'

/**
 * News of sessions that answers to claims carry, so that a host waits with one request and not with two. It
 * is there only while the plane lets claims wait.
 */
export class SessionNews {
  #isTold = false
  #isNew = false
  #wake: (() => void) | undefined

  /** Whether claims tell of sessions, so that nothing else has to wait for them. */
  get isTold(): boolean {
    return this.#isTold
  }

  /** Reads the answer to a claim that asked to wait. */
  hear(answer: Answer): void {
    // An answer that was lost says nothing, and while a job should stop no claim waits.
    const isAnswered = answer.status === 200 || answer.status === 204
    if (!isAnswered || answer.header('svc-cancel') !== undefined) return
    this.#isTold = answer.header('preference-applied') !== undefined
    if (answer.header('svc-access') === 'pending') this.#isNew = true
    if (this.#isNew || !this.#isTold) this.#wake?.()
  }

  /** Resolves when a session waits, when claims tell of none any more, or when `signal` is aborted. */
  async next(signal: AbortSignal): Promise<void> {
    if (!this.#isNew && this.#isTold && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      const end = () => resolve()
      signal.addEventListener('abort', end, { once: true })
      await promise
      signal.removeEventListener('abort', end)
      this.#wake = undefined
    }
    this.#isNew = false
  }
}
