import type { Timers } from '../../kernel/timers.ts'
import type { PinnedAnswer, PinnedDialler, PinnedHost } from '../../platform/net/pinned-host.ts'
import { Pace } from './pacing.ts'

/** Requests to one host in a second, and in a whole scan. */
export const REQUESTS_PER_SECOND = 10
export const REQUESTS_PER_HOST = 60
/** How long one request takes at most, in milliseconds, and how much of a page is read. */
const REQUEST_MS = 5000
const PAGE_BYTES = 262_144

/** Dependencies of requests to hosts. */
export interface WebTools {
  readonly dialler: PinnedDialler
  readonly timers: Timers
  /** Connections in a second, over all scans of this process. */
  readonly pace: Pace
  readonly userAgent: string
  readonly signal: AbortSignal
}

/** A web server of a host: an address, and a port with or without TLS. */
export interface WebOrigin {
  readonly address: string
  readonly port: number
  readonly isSecure: boolean
}

/** The requests of one scan to one host: GET alone, paced and counted. */
export class HostWeb {
  readonly host: PinnedHost
  readonly #tools: WebTools
  readonly #pace: Pace
  #left = REQUESTS_PER_HOST

  constructor(host: PinnedHost, tools: WebTools) {
    this.host = host
    this.#tools = tools
    this.#pace = new Pace(tools.timers, REQUESTS_PER_SECOND)
  }

  /** Asks for a path; undefined when the host was asked often enough. */
  async get(
    origin: WebOrigin,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<PinnedAnswer | undefined> {
    if (this.#left <= 0) return undefined
    this.#left -= 1
    const { dialler, userAgent, signal, pace } = this.#tools
    await this.#pace.turn(signal)
    await pace.turn(signal)
    return dialler.request({
      host: this.host,
      ...origin,
      path,
      headers: { 'user-agent': userAgent, accept: '*/*', ...headers },
      timeoutMs: REQUEST_MS,
      maxBytes: PAGE_BYTES,
      signal,
    })
  }

  /** The address of a path as people read it. */
  url({ isSecure, port }: WebOrigin, path: string): string {
    const usual = isSecure ? 443 : 80
    return `${isSecure ? 'https' : 'http'}://${this.host.name}${port === usual ? '' : `:${port}`}${path}`
  }
}

/** The web servers that a host may have at an address, secure ones first. */
export const originsOf = (address: string): readonly WebOrigin[] => [
  { address, port: 443, isSecure: true },
  { address, port: 80, isSecure: false },
]
