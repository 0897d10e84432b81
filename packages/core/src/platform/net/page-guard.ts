import type { Socket } from 'node:net'
import { type AddressChecks, checkedAddresses } from './checked-addresses.ts'
import { Deadline } from './deadline.ts'
import type { Resolver } from './dns.ts'
import { OutboundRefused, refusalOf } from './outbound-refusal.ts'
import { ownAddresses } from './own-addresses.ts'
import { openConnection } from './pinned-socket.ts'
import { type AddressRanges, AddressRules } from './public-address.ts'
import { readTarget, type Target } from './target.ts'

/** Reasons why a page may not be called, as its caller is told. `browser`: a service for Chromium itself. */
export const PAGE_REFUSALS = [
  'scheme',
  'userinfo',
  'port',
  'dns',
  'private_address',
  'domain',
  'browser',
] as const
export type PageRefusal = (typeof PAGE_REFUSALS)[number]

/** Ports that pages are called at, beside those that the settings name. */
const WEB_PORTS: readonly number[] = [80, 443, 8080, 8443]
const RESOLVE_MS = 5000
const CONNECT_MS = 10_000

/** Dependencies of a page guard. */
export interface PageGuardParts extends AddressRanges {
  readonly resolver: Resolver
  /** Ports beside 80, 443, 8080 and 8443. */
  readonly ports?: readonly number[] | undefined
}

/** A host and a port that a browser asks for. */
export interface Place {
  readonly host: string
  readonly port: number
}

/**
 * The outbound guard as pages are called through it: it judges addresses, and opens connections to addresses
 * that it judged. The rules for every outgoing call hold, and a list of ports.
 */
export class PageGuard {
  readonly #checks: AddressChecks
  readonly #ports: ReadonlySet<number>

  constructor({ resolver, ports = [], own = ownAddresses, ...ranges }: PageGuardParts) {
    this.#checks = { resolver, rules: new AddressRules({ ...ranges, own }) }
    this.#ports = new Set([...WEB_PORTS, ...ports])
  }

  /** Returns why a URL may not be called as it is written, without a question to the DNS. */
  read(url: string): PageRefusal | undefined {
    try {
      this.#target(url)
      return undefined
    } catch (error) {
      return pageRefusalOf(error) ?? 'scheme'
    }
  }

  /** Returns why a URL may not be called at this moment; undefined if it may. */
  async judge(url: string, signal: AbortSignal): Promise<PageRefusal | undefined> {
    try {
      using deadline = new Deadline(RESOLVE_MS, [signal])
      await checkedAddresses(this.#target(url), this.#checks, deadline)
      return undefined
    } catch (error) {
      // An address that was not judged is refused, for any reason.
      return pageRefusalOf(error) ?? 'dns'
    }
  }

  /** Connects to an address that was judged. Throws `OutboundRefused`. */
  async connect({ host, port }: Place, signal: AbortSignal): Promise<Socket> {
    using deadline = new Deadline(RESOLVE_MS + CONNECT_MS, [signal])
    const name = host.includes(':') ? `[${host}]` : host
    const target = this.#target(`http://${name}:${port}/`)
    const addresses = await checkedAddresses(target, this.#checks, deadline)
    return openConnection(target.port, { addresses, connectMs: CONNECT_MS, signal: deadline.signal })
  }

  #target(url: string): Target {
    const target = readTarget(url, { plainHttp: true, anyPort: true })
    if (!this.#ports.has(target.port)) throw new OutboundRefused('port')
    return target
  }
}

/** Returns a refusal of the guard in the words of its caller; undefined if a connection failed instead. */
export function pageRefusalOf(error: unknown): PageRefusal | undefined {
  switch (refusalOf(error)) {
    case 'bad-url':
    case 'scheme':
      return 'scheme'
    case 'credentials':
      return 'userinfo'
    case 'port':
      return 'port'
    case 'not-public':
      return 'private_address'
    case 'unresolved':
      return 'dns'
    default:
      return undefined
  }
}
