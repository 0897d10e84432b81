import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { SupervisorLine } from '@svc/core/adapters'

/** Characters of lines that wait for the asker at most: further lines are left out, and counted. */
const MAX_WAITING = 16_000_000

/** The lines of an answer, as far as the asker takes them. One write has the lines of one moment. */
export class OrderLines {
  readonly #response: Writable
  readonly #masked: (text: string) => string
  #waiting = ''
  #missed = 0

  constructor(response: Writable, masked: (text: string) => string) {
    this.#response = response
    this.#masked = masked
  }

  say(text: string): void {
    if (this.#waiting.length + this.#response.writableLength > MAX_WAITING) this.#missed += 1
    else {
      this.#count()
      this.#add({ kind: 'said', text })
    }
  }

  /** Says the last line, and hands over what waits. */
  end(line: SupervisorLine): void {
    this.#count()
    this.#add(line)
    this.#flush()
    this.#response.end()
  }

  /** Resolves when the asker has taken the lines, or is gone. */
  async drained(signal: AbortSignal): Promise<void> {
    this.#flush()
    if (this.#response.writableNeedDrain && !signal.aborted)
      await once(this.#response, 'drain', { signal }).catch(() => {})
  }

  #count(): void {
    if (this.#missed > 0)
      this.#add({
        kind: 'said',
        text: `[svc] ${this.#missed} lines are left out: there were too many at once`,
      })
    this.#missed = 0
  }

  #add({ kind, text }: SupervisorLine): void {
    if (this.#waiting === '') setImmediate(() => this.#flush())
    this.#waiting += `${JSON.stringify({ kind, text: this.#masked(text) })}\n`
  }

  #flush(): void {
    if (this.#waiting !== '' && !this.#response.writableEnded) this.#response.write(this.#waiting)
    this.#waiting = ''
  }
}
