import type { Log, LogFields } from '@svc/core'
import { MARKER } from './marker.ts'

const MAX_TOLD = 5
/** The component that logs alerts if no webhook is set, with host names from accepted heartbeats. */
const ANNOUNCEMENT = 'alerts'

/**
 * A log that costs as much as a written one, and records lines that no log may have: those with a sent value
 * or a fault.
 */
export class HeardLog implements Log {
  #wrong: string[] = []

  debug(fields: LogFields, message: string): void {
    this.#hear(fields, message)
  }

  info(fields: LogFields, message: string): void {
    this.#hear(fields, message)
  }

  warn(fields: LogFields, message: string): void {
    this.#hear(fields, message)
  }

  error(fields: LogFields, message: string): void {
    this.#note(`a fault was logged: ${this.#hear(fields, message)}`)
  }

  /** Returns the first few wrong lines since the last call. */
  told(): readonly string[] {
    const told = this.#wrong
    this.#wrong = []
    return told
  }

  #hear(fields: LogFields, message: string): string {
    const line = JSON.stringify({ ...fields, message })
    if (message !== ANNOUNCEMENT && line.includes(MARKER))
      this.#note(`the log repeats what was sent: ${line}`)
    return line
  }

  #note(sentence: string): void {
    if (this.#wrong.length < MAX_TOLD) this.#wrong.push(sentence)
  }
}
