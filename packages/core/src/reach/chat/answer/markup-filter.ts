import type { TextFilter } from './text-filter.ts'

const TAG_CHARS = 1024
const OPENS_TAG = /[A-Za-z/!?]/
const STAYS_A_SIGN = /[\s=\d]/
const ESCAPE = '\u001b'
const COLOUR = /^\[[0-9;?]{0,32}[A-Za-z]/
const COLOUR_BEGUN = /^(?:\[[0-9;?]{0,32})?$/
// Invisible characters that control a terminal or a page, except line breaks, tabs and the escape.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const CONTROL = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape begins a colour
const SIGN = /[<\u001b]/g

/**
 * A filter that removes raw HTML and terminal colours. A `<` stays only if it cannot begin a tag, even after
 * removals around it.
 */
export class MarkupFilter implements TextFilter {
  #pending = ''

  push(part: string): string {
    this.#pending += part.replaceAll(CONTROL, '')
    return this.#take(false)
  }

  end(): string {
    return this.#take(true)
  }

  #take(isEnd: boolean): string {
    const text = this.#pending
    let out = ''
    let at = 0
    SIGN.lastIndex = 0
    for (let found = SIGN.exec(text); found !== null; found = SIGN.exec(text)) {
      const { index } = found
      out += text.slice(at, index)
      const next = text[index] === ESCAPE ? afterEscape(text, index, isEnd) : afterSign(text, index, isEnd)
      if (next === undefined) {
        this.#pending = text.slice(index)
        return out
      }
      if (text[index] === '<' && STAYS_A_SIGN.test(text[index + 1] ?? '')) out += text.slice(index, index + 2)
      at = next
      SIGN.lastIndex = at
    }
    this.#pending = ''
    return out + text.slice(at)
  }
}

/**
 * Returns the index where the text continues after the escape at `at`; undefined while more text is needed.
 */
function afterEscape(text: string, at: number, isEnd: boolean): number | undefined {
  const rest = text.slice(at + 1, at + 64)
  const colour = COLOUR.exec(rest)
  if (colour !== null) return at + 1 + colour[0].length
  return !isEnd && COLOUR_BEGUN.test(rest) ? undefined : at + 1
}

/**
 * Returns the index where the text continues after the `<` at `at`; undefined while more text is needed.
 */
function afterSign(text: string, at: number, isEnd: boolean): number | undefined {
  const next = text[at + 1]
  if (next === undefined) return isEnd ? at + 1 : undefined
  if (STAYS_A_SIGN.test(next)) return at + 2
  if (!OPENS_TAG.test(next)) return at + 1
  const end = text.slice(at, at + TAG_CHARS).indexOf('>')
  if (end !== -1) return at + end + 1
  return isEnd || text.length - at >= TAG_CHARS ? at + 1 : undefined
}
