import type { TextFilter } from './text-filter.ts'

/** What stands in the place of an address that answers do not name. */
export const REMOVED_ADDRESS = '‹address removed›'

const TARGET_CHARS = 2048
/** Plain signs only: nothing that Markdown or a browser would read as something else. */
const PLAIN_TARGET = /^[A-Za-z0-9/#?=&_.~%:+,-]+$/
/** An address within a target would be read as one where the bracket before it turns out to be none. */
const ANOTHER_ADDRESS = /.:\/\/.*:\/\/|^[/#].*:\/\/|(?<!:\/\/)www\./
const ADDRESS = /(?:[A-Za-z][A-Za-z0-9+.-]{0,31}:\/\/|(?<![A-Za-z0-9.-])www\.)[^\s<>"'()[\]]*/g
const TOKEN = /!+(?=\[)|\](?=\()|\]:/g
/** What ends a sentence or an emphasis belongs to no address. */
const SENTENCE_SIGNS = /(?<![.,;:!?*_~`])[.,;:!?*_~`]+$/
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/
const EXAMPLE = /(?:^|\.)(?:example|test|invalid|example\.(?:com|net|org))(?::\d+)?$/

/**
 * Takes images and links to other hosts out of Markdown that comes in parts. Links within the site stay; of
 * others their text stays. Addresses that stand in the text by themselves stay when they lead to the site, to
 * the reader's own machine, or to a host that exists in examples only.
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
    // What was taken away must not leave the bracket beside another target.
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

/** The host of an http address without a user; undefined for everything else. */
function hostOf(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address) || /[\\@]/.test(address) || !URL.canParse(address)) return undefined
  return new URL(address).host
}

/** What stands behind a bracket. */
interface Target {
  /** Absent: the parenthesis has no end, and is none. */
  readonly text?: string
  /** Where the text goes on. */
  readonly end: number
}

/** What stands between the parentheses at `open`; undefined while that, or what follows, cannot be told. */
function targetAt(text: string, open: number, isEnd: boolean): Target | undefined {
  const close = text.slice(open, open + TARGET_CHARS).indexOf(')')
  if (close === -1) return isEnd || text.length - open >= TARGET_CHARS ? { end: open } : undefined
  const end = open + close + 1
  return isEnd || end < text.length ? { text: text.slice(open + 1, open + close), end } : undefined
}
