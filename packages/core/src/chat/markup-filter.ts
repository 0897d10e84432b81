import type { TextFilter } from './text-filter.ts'

const TAG_CHARS = 1024
const OPENS_TAG = /[A-Za-z/!?]/
const STAYS_A_SIGN = /[\s=\d]/
// Everything that steers a terminal or a page without being seen, except line breaks and tabs.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/**
 * Takes raw HTML out of a text that comes in parts: tags go, and a `<` stays only where it cannot begin one, whatever
 * else is taken away around it.
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
    for (;;) {
      const sign = text.indexOf('<', at)
      out += text.slice(at, sign === -1 ? text.length : sign)
      if (sign === -1) break
      const next = afterSign(text, sign, isEnd)
      if (next === undefined) {
        this.#pending = text.slice(sign)
        return out
      }
      if (STAYS_A_SIGN.test(text[sign + 1] ?? '')) out += text.slice(sign, sign + 2)
      at = next
    }
    this.#pending = ''
    return out
  }
}

/** Where the text goes on after the `<` at `sign`; undefined while that cannot be told. */
function afterSign(text: string, sign: number, isEnd: boolean): number | undefined {
  const next = text[sign + 1]
  if (next === undefined) return isEnd ? sign + 1 : undefined
  if (STAYS_A_SIGN.test(next)) return sign + 2
  if (!OPENS_TAG.test(next)) return sign + 1
  const end = text.slice(sign, sign + TAG_CHARS).indexOf('>')
  if (end !== -1) return sign + end + 1
  return isEnd || text.length - sign >= TAG_CHARS ? sign + 1 : undefined
}
