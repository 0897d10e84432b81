import type { Duplex } from 'node:stream'
import type { PageRefusal, RefusedCall } from '@svc/core/adapters'

/** Refusals kept of one lane: a page can make any number. */
const MAX_REFUSALS = 100
const MAX_URL_CHARS = 512
const MAX_FAILURES = 1000

/** The traffic of one browser context: its credential, its bytes, and the connections that end with it. */
export class EgressLane implements Disposable {
  readonly username: string
  readonly password: string
  readonly #maxBytes: number
  readonly #forget: () => void
  readonly #open = new Set<Duplex>()
  readonly #refusals = new Map<string, RefusedCall>()
  readonly #failures = new Map<string, string>()
  readonly #closing = new AbortController()
  readonly #full = new AbortController()
  #bytes = 0

  constructor(parts: { username: string; password: string; maxBytes: number; forget: () => void }) {
    this.username = parts.username
    this.password = parts.password
    this.#maxBytes = parts.maxBytes
    this.#forget = parts.forget
  }

  /** Bytes in both directions. */
  get bytes(): number {
    return this.#bytes
  }

  /** Aborted when the lane has moved more bytes than it may; nothing passes from then on. */
  get full(): AbortSignal {
    return this.#full.signal
  }

  /** Aborted when the lane has ended. */
  get closed(): AbortSignal {
    return this.#closing.signal
  }

  /** Refused calls, in the order of the first time. */
  get refusals(): readonly RefusedCall[] {
    return [...this.#refusals.values()]
  }

  /** Returns why the last connection to the host and port of a URL failed: Node's code. */
  failureOf(url: string): string | undefined {
    return this.#failures.get(placeOf(url))
  }

  /** Returns why a URL was refused. */
  refusalOf(url: string): PageRefusal | undefined {
    return this.#refusals.get(shown(url))?.reason
  }

  refuse(url: string, reason: PageRefusal): void {
    const key = shown(url)
    if (this.#refusals.size < MAX_REFUSALS) this.#refusals.set(key, { url: key, reason })
  }

  fail(url: string, code: string): void {
    if (this.#failures.size < MAX_FAILURES) this.#failures.set(placeOf(url), code)
  }

  count(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= this.#maxBytes || this.#full.signal.aborted) return
    this.#full.abort()
    this.#destroyAll()
  }

  /** Takes a connection, which ends with the lane. Returns false when the lane has ended or is full. */
  hold(connection: Duplex): boolean {
    if (this.closed.aborted || this.full.aborted) {
      connection.destroy()
      return false
    }
    // A browser asks again and again over one connection.
    if (this.#open.has(connection)) return true
    this.#open.add(connection)
    connection.once('close', () => this.#open.delete(connection))
    return true
  }

  [Symbol.dispose](): void {
    this.#closing.abort()
    this.#forget()
    this.#destroyAll()
  }

  #destroyAll(): void {
    for (const connection of this.#open) connection.destroy()
  }
}

function shown(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return url.slice(0, MAX_URL_CHARS)
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}`.slice(0, MAX_URL_CHARS)
}

function placeOf(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return url
  return `${parsed.hostname}:${parsed.port || (parsed.protocol === 'https:' ? 443 : 80)}`
}
