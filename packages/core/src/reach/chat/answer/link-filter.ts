import type { TextFilter } from './text-filter.ts'

/** The replacement of an address that answers may not name. */
export const REMOVED_ADDRESS = '‹address removed›'

const TARGET_CHARS = 2048
/** Characters that neither Markdown nor a browser reads as anything else. */
const PLAIN_TARGET = /^[A-Za-z0-9/#?=&_.~%:+,-]+$/
/**
 * A second address within a target: a reader's Markdown would link it if the bracket before it is no link.
 */
const ANOTHER_ADDRESS = /.:\/\/.*:\/\/|^[/#].*:\/\/|(?<!:\/\/)www\./
const ADDRESS = /(?:[A-Za-z][A-Za-z0-9+.-]{0,31}:\/\/|(?<![A-Za-z0-9.-])www\.)[^\s<>"'()[\]]*/g
const TOKEN = /(?<!!)!+(?=\[)|\](?=\()|\]:/g
/** Characters that end a sentence or an emphasis and belong to no address. */
const SENTENCE_SIGNS = /(?<![.,;:!?*_~`])[.,;:!?*_~`]+$/
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/
const EXAMPLE = /(?:^|\.)(?:example|test|invalid|example\.(?:com|net|org))(?::\d+)?$/

/**
 * A filter that removes images and links to other hosts from Markdown. Links within the site stay; other
 * links keep only their text. Bare addresses stay if they lead to the site, to the reader's own machine, or
 * to a host that exists in examples only.
 */
export class LinkFilter implements TextFilter {
  readonly #hosts: ReadonlySet<string>
  #pending = ''

  constructor(hosts: ReadonlySet<string>) {
    this.#hosts = hosts
  }

  push(part: string): string {
    this.#pending += part
    const words = /^[\s\S]*\s/.exec(this.#pending)?.[0].length ?? 0
    return this.#take(words, false)
  }

  end(): string {
    return this.#take(this.#pending.length, true)
  }

  #take(length: number, isEnd: boolean): string {
    const text = this.#pending
    let out = ''
    let at = 0
    TOKEN.lastIndex = 0
    for (let match = TOKEN.exec(text); match !== null && match.index < length; match = TOKEN.exec(text)) {
      out += this.#addresses(text.slice(at, match.index))
      at = match.index
      if (match[0].startsWith('!')) at += match[0].length
      else if (match[0] === ']:') {
        out += '] :'
        at += 2
      } else {
        const target = targetAt(text, at + 1, isEnd)
        if (target === undefined) return this.#keep(at, out)
        out += this.#link(target, text[target.end])
        at = target.end
      }
      TOKEN.lastIndex = at
    }
    if (at < length) {
      out += this.#addresses(text.slice(at, length))
      at = length
    }
    return this.#keep(at, out)
  }

  #keep(from: number, out: string): string {
    this.#pending = this.#pending.slice(from)
    return out
  }

  #link(target: Target, next: string | undefined): string {
    if (target.text !== undefined && this.#isOurs(target.text)) return `](${target.text})`
    // A blank keeps the bracket apart from a second target that follows.
    return next === '(' || next === ':' ? '] ' : ']'
  }

  #isOurs(target: string): boolean {
    if (!PLAIN_TARGET.test(target) || ANOTHER_ADDRESS.test(target)) return false
    if (target.startsWith('#')) return true
    if (target.startsWith('/')) return !target.startsWith('//')
    return this.#hosts.has(hostOf(target) ?? '')
  }

  #addresses(text: string): string {
    return text.replaceAll(ADDRESS, (address) => {
      const [sentenceEnd = ''] = SENTENCE_SIGNS.exec(address) ?? []
      const bare = address.slice(0, address.length - sentenceEnd.length)
      const host = hostOf(bare.startsWith('www.') ? `https://${bare}` : bare)
      const isKnown =
        host !== undefined && (this.#hosts.has(host) || LOOPBACK.test(host) || EXAMPLE.test(host))
      return isKnown ? address : `${REMOVED_ADDRESS}${sentenceEnd}`
    })
  }
}

/** Returns the host of an http or https address without a user; undefined for any other text. */
function hostOf(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address) || /[\\@]/.test(address) || !URL.canParse(address)) return undefined
  return new URL(address).host
}

/** The target of a link, as far as it was read. */
interface Target {
  /** Absent: the parenthesis is never closed, so there is no target. */
  readonly text?: string
  /** Index where the text continues. */
  readonly end: number
}

/**
 * Reads the target between the parentheses at `open`; undefined while its end, or the character after it, is
 * missing.
 */
function targetAt(text: string, open: number, isEnd: boolean): Target | undefined {
  const close = text.slice(open, open + TARGET_CHARS).indexOf(')')
  if (close === -1) return isEnd || text.length - open >= TARGET_CHARS ? { end: open } : undefined
  const end = open + close + 1
  return isEnd || end < text.length ? { text: text.slice(open + 1, open + close), end } : undefined
}
