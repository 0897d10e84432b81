import { StringDecoder } from 'node:string_decoder'

/**
 * Cuts a byte stream into lines of at most `maxChars` characters (UTF-16 code units; a surrogate pair is not
 * split). The rest of a longer line is dropped as it comes, so a stream without line ends costs no memory.
 */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8')
  readonly #maxChars: number
  readonly #take: (line: string) => void
  #partial = ''

  constructor(maxChars: number, take: (line: string) => void) {
    this.#maxChars = maxChars
    this.#take = take
  }

  /** Takes the next bytes. */
  write(bytes: Buffer): void {
    this.#feed(this.#decoder.write(bytes))
  }

  /** Takes the end: what is left without a line end is a line too. */
  end(): void {
    this.#feed(this.#decoder.end())
    if (this.#partial !== '') this.#emit()
  }

  #feed(text: string): void {
    let from = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.#gather(text.slice(from, end))
      this.#emit()
      from = end + 1
    }
    this.#gather(text.slice(from))
  }

  // One character more than a line holds is kept: a carriage return before the line end is not part of the
  // line.
  #gather(text: string): void {
    const room = this.#maxChars + 1 - this.#partial.length
    if (room > 0) this.#partial += text.slice(0, room)
  }

  #emit(): void {
    const line = this.#partial.endsWith('\r') ? this.#partial.slice(0, -1) : this.#partial
    this.#partial = ''
    this.#take(cut(line, this.#maxChars))
  }
}

function cut(line: string, maxChars: number): string {
  if (line.length <= maxChars) return line
  const last = line.charCodeAt(maxChars - 1)
  return line.slice(0, last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars)
}
