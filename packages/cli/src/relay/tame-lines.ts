import { StringDecoder } from 'node:string_decoder'
import { tameLine } from '../terminal/terminal.ts'

/** A line that is longer goes out in pieces: a host that ends none fills no memory. */
const MAX_CHARS = 65_536

/** Makes whole lines of a stream of bytes, which command no terminal, whoever wrote them. */
export class TameLines {
  readonly #decoder = new StringDecoder('utf8')
  #rest = ''

  /** The lines that `bytes` end. */
  take(bytes: Buffer): string {
    const lines = `${this.#rest}${this.#decoder.write(bytes)}`.split('\n')
    this.#rest = lines.pop() ?? ''
    if (this.#rest.length > MAX_CHARS) {
      lines.push(this.#rest)
      this.#rest = ''
    }
    return lines.map((line) => `${tameLine(line)}\n`).join('')
  }

  /** The last line, if it has no end. */
  end(): string {
    const last = `${this.#rest}${this.#decoder.end()}`
    this.#rest = ''
    return last === '' ? '' : `${tameLine(last)}\n`
  }
}
