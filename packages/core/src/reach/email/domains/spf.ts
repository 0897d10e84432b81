import ipaddr from 'ipaddr.js'
import { cut } from '../../../kernel/cut.ts'
import type { RecordType } from '../../../platform/dns/dns-answer.ts'
import type { DomainLookup } from './domain-dns.ts'
import { expandMacros } from './spf-macro.ts'
import { parseSpf, type SpfMechanism, SpfSyntaxError, spfRecordsAmong } from './spf-record.ts'

export type SpfResult = 'none' | 'neutral' | 'pass' | 'fail' | 'softfail' | 'temperror' | 'permerror'

/** The answer to: may this address send for this domain? */
export interface SpfVerdict {
  readonly result: SpfResult
  /** The reason of an error, in a few words. */
  readonly reason?: string
  /** Terms that cost a look-up. */
  readonly lookups: number
  /** Every domain whose record was evaluated. */
  readonly visited: readonly string[]
  /** Whether `include` was met where its pass is the pass of the whole. */
  readonly isIncluded: boolean
}

/** Look-ups, and look-ups without an answer, after which receivers give up (RFC 7208, section 4.6.4). */
const MAX_LOOKUPS = 10
const MAX_VOID = 2
const MAX_EXCHANGES = 10

class Stopped extends Error {
  readonly result: 'temperror' | 'permerror'
  constructor(result: 'temperror' | 'permerror', reason: string) {
    super(reason)
    this.result = result
  }
}

/**
 * Evaluates whether `ip` may send for `domain` (RFC 7208), for the sender `postmaster@domain`, and whether
 * the record of `include` counts on the way.
 */
export async function evaluateSpf(
  lookup: DomainLookup,
  ip: string,
  domain: string,
  include?: string,
): Promise<SpfVerdict> {
  const evaluation = new Evaluation(lookup, ip, domain, include)
  try {
    return { result: await evaluation.of(domain), ...evaluation.facts() }
  } catch (error) {
    if (error instanceof SpfSyntaxError)
      return { result: 'permerror', reason: error.message, ...evaluation.facts() }
    if (!(error instanceof Stopped)) throw error
    return { result: error.result, reason: error.message, ...evaluation.facts() }
  }
}

class Evaluation {
  readonly #lookup: DomainLookup
  readonly #ip: string
  readonly #sender: string
  readonly #visited: string[] = []
  #lookups = 0
  #voids = 0
  readonly #include: string | undefined
  /** Whether all terms that lead to the present record pass the same senders. */
  #isPassing = true
  #isIncluded = false

  constructor(lookup: DomainLookup, ip: string, sender: string, include: string | undefined) {
    this.#include = include?.toLowerCase()
    this.#lookup = lookup
    this.#ip = ip
    this.#sender = sender
  }

  facts() {
    return { lookups: this.#lookups, visited: this.#visited, isIncluded: this.#isIncluded }
  }

  async of(domain: string): Promise<SpfResult> {
    const records = spfRecordsAmong(await this.#find(domain, 'TXT'))
    if (records.length > 1) throw new Stopped('permerror', `${domain} has several SPF records`)
    const [text] = records
    if (text === undefined) return 'none'
    this.#visited.push(domain.toLowerCase())
    if (domain.toLowerCase() === this.#include && this.#isPassing) this.#isIncluded = true
    const { mechanisms, redirect } = parseSpf(text)
    for (const mechanism of mechanisms) if (await this.#matches(mechanism, domain)) return mechanism.result
    if (redirect === undefined || mechanisms.some(({ kind }) => kind === 'all')) return 'neutral'
    this.#count()
    const target = this.#expand(redirect, domain)
    const result = await this.of(target)
    if (result === 'none') throw new Stopped('permerror', `${target} has no SPF record`)
    return result
  }

  async #matches(mechanism: SpfMechanism, domain: string): Promise<boolean> {
    const { kind, target } = mechanism
    if (kind === 'all') return true
    if (kind === 'ip4' || kind === 'ip6') return this.#isWithin(kind, target ?? '', mechanism)
    this.#count()
    const name = target === undefined ? domain : this.#expand(target, domain)
    switch (kind) {
      case 'include':
        return this.#includes(name, mechanism)
      case 'exists':
        return (await this.#findCounted(name, 'A')).length > 0
      case 'a':
        return this.#hasAddress(name, mechanism)
      case 'mx':
        return this.#hasExchange(name, mechanism)
      // A reverse name proves nothing about our relay, and receivers are told not to use them.
      case 'ptr':
        return false
    }
  }

  async #includes(name: string, mechanism: SpfMechanism): Promise<boolean> {
    const isPassing = this.#isPassing
    this.#isPassing = isPassing && mechanism.result === 'pass'
    const result = await this.of(name)
    this.#isPassing = isPassing
    if (result === 'none') throw new Stopped('permerror', `${name} has no SPF record`)
    return result === 'pass'
  }

  async #hasAddress(name: string, mechanism: SpfMechanism): Promise<boolean> {
    const addresses = await this.#findCounted(name, this.#ip.includes(':') ? 'AAAA' : 'A')
    return addresses.some((address) => this.#isNear(address, mechanism))
  }

  async #hasExchange(name: string, mechanism: SpfMechanism): Promise<boolean> {
    const exchanges = await this.#findCounted(name, 'MX')
    if (exchanges.length > MAX_EXCHANGES) throw new Stopped('permerror', `${name} has too many exchanges`)
    for (const exchange of exchanges) {
      const host = exchange.slice(exchange.indexOf(' ') + 1).replace(/\.$/, '')
      if (host !== '' && (await this.#hasAddress(host, mechanism))) return true
    }
    return false
  }

  #isWithin(kind: 'ip4' | 'ip6', network: string, mechanism: SpfMechanism): boolean {
    const isFamily =
      kind === 'ip4' ? ipaddr.IPv4.isValidFourPartDecimal(network) : ipaddr.IPv6.isValid(network)
    if (!isFamily) throw new SpfSyntaxError(`"${kind}:${cut(network, 64)}" cannot be read`)
    return this.#isNear(network, mechanism)
  }

  #isNear(address: string, { prefix4, prefix6 }: SpfMechanism): boolean {
    const [one, other] = [ipaddr.parse(this.#ip), ipaddr.parse(address)]
    if (one.kind() !== other.kind()) return false
    return one.match(other, one.kind() === 'ipv4' ? prefix4 : prefix6)
  }

  #expand(text: string, domain: string): string {
    return expandMacros(text, { ip: this.#ip, domain, sender: this.#sender })
  }

  #count(): void {
    this.#lookups += 1
    if (this.#lookups > MAX_LOOKUPS) throw new Stopped('permerror', 'it needs more than 10 look-ups')
  }

  async #findCounted(name: string, type: RecordType): Promise<readonly string[]> {
    const found = await this.#find(name, type)
    if (found.length === 0) this.#voids += 1
    if (this.#voids > MAX_VOID) throw new Stopped('permerror', 'more than 2 of its names have no records')
    return found
  }

  async #find(name: string, type: RecordType): Promise<readonly string[]> {
    const found = await this.#lookup.find(name, type)
    if (found.status === 'unknown')
      throw new Stopped('temperror', `${name} was not answered (${found.error})`)
    return found.status === 'absent' ? [] : found.records
  }
}
