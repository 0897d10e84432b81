import type { Log, LogFields } from '@svc/core'
import { MARKER } from './marker.ts'

const MAX_TOLD = 5
/**
 * Alerts are announced in the log where no webhook is set, with the names that hosts gave in heartbeats which
 * were taken.
 */
const ANNOUNCEMENT = 'alerts'

/**
 * A log that costs what a written one costs, and hears what must not stand in any: a sent value, or a fault.
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

  /** What was wrong since it was last asked, the first few. */
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
