import { StringDecoder } from 'node:string_decoder'

/** The receiver of a stream's lines. */
export interface LineTaker {
  /** A line has ended; the last state of one that overwrote itself stands for it. */
  line(text: string): void
  /** A state of a line that overwrites itself, as progress bars do; the next one takes its place. */
  state(text: string): void
}

/**
 * Cuts a byte stream into lines of at most `maxChars` characters (UTF-16 code units; a surrogate pair is not
 * split). A line feed ends a line, with or without a carriage return before it; every other carriage return
 * ends a state of its line. The last state counts, unless it is blank: bars are wiped away. The rest of
 * a longer line or state is dropped as it comes, so a stream without line ends costs no memory.
 */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8')
  readonly #maxChars: number
  readonly #taker: LineTaker
  #partial = ''
  /** The last state of the line that has ended. */
  #state: string | undefined
  #isFresh = false

  constructor(maxChars: number, taker: LineTaker) {
    this.#maxChars = maxChars
    this.#taker = taker
  }

  /** Takes the next bytes. */
  write(bytes: Buffer): void {
    this.#feed(this.#decoder.write(bytes))
    if (this.#isFresh && this.#state !== undefined && !isBlank(this.#state)) this.#taker.state(this.#state)
    this.#isFresh = false
  }

  /** Takes the end: the rest without a line end is a line too. */
  end(): void {
    this.#feed(this.#decoder.end())
    if (this.#partial !== '' || this.#state) this.#endLine()
  }

  #feed(text: string): void {
    let from = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.#gather(text.slice(from, text[end - 1] === '\r' && end > from ? end - 1 : end))
      this.#endLine()
      from = end + 1
    }
    this.#gather(text.slice(from))
  }

  #gather(text: string): void {
    let from = 0
    for (let end = text.indexOf('\r'); end >= 0; end = text.indexOf('\r', from)) {
      this.#add(text.slice(from, end))
      this.#endState()
      from = end + 1
    }
    this.#add(text.slice(from))
  }

  // One character more than a line holds is kept: it shows whether a surrogate pair was cut.
  #add(text: string): void {
    const room = this.#maxChars + 1 - this.#partial.length
    if (room > 0) this.#partial += text.slice(0, room)
  }

  #endState(): void {
    if (this.#state === undefined || !isBlank(this.#partial)) {
      this.#state = cut(this.#partial, this.#maxChars)
      this.#isFresh = true
    }
    this.#partial = ''
  }

  #endLine(): void {
    this.#endState()
    const line = this.#state ?? ''
    this.#state = undefined
    this.#isFresh = false
    this.#taker.line(line)
  }
}

const isBlank = (text: string): boolean => !/\S/.test(text)

function cut(line: string, maxChars: number): string {
  if (line.length <= maxChars) return line
  const last = line.charCodeAt(maxChars - 1)
  return line.slice(0, last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars)
}
