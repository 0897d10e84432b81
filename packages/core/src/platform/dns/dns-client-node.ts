import { isUtf8 } from 'node:buffer'
import type { CaaRecord, MxRecord, SoaRecord, SrvRecord } from 'node:dns'
import { getServers, Resolver } from 'node:dns/promises'
import type { RecordType } from './dns-answer.ts'
import type { DnsBatch, DnsClient, DnsError, DnsQuestion, DnsReply } from './dns-client.ts'

/** Timeout of one try at one server. A question and its repetition, two tries each, stay under 7 s. */
const TRY_MS = 1500
const TRIES = 2

/** Options of the DNS client. */
export interface NodeDnsOptions {
  /** Timeout of one try, in milliseconds (1,500). */
  readonly tryMs?: number
}

const ERRORS: Readonly<Record<string, DnsError>> = {
  ETIMEOUT: 'timeout',
  ECANCELLED: 'timeout',
  ESERVFAIL: 'servfail',
  EREFUSED: 'refused',
  ECONNREFUSED: 'unreachable',
}

/**
 * Returns a client that queries DNS servers with Node's `Resolver`, which uses neither the hosts file nor a
 * cache.
 */
export function nodeDnsClient(options: NodeDnsOptions = {}): DnsClient {
  return { systemServers: getServers, batch: () => new NodeDnsBatch(options) }
}

/**
 * Has one resolver for each server: a resolver with several servers would fall back from one to another and
 * never report that they disagree.
 */
class NodeDnsBatch implements DnsBatch {
  readonly #options: NodeDnsOptions
  readonly #resolvers = new Map<string, Resolver>()

  constructor(options: NodeDnsOptions) {
    this.#options = options
  }

  async ask({ server, host, type }: DnsQuestion): Promise<DnsReply> {
    try {
      return { status: 'records', records: await recordsOf(this.#resolver(server), host, type) }
    } catch (error) {
      return replyTo(error)
    }
  }

  cancel(): void {
    for (const resolver of this.#resolvers.values()) resolver.cancel()
  }

  #resolver(server: string): Resolver {
    const known = this.#resolvers.get(server)
    if (known !== undefined) return known
    const resolver = new Resolver({ timeout: this.#options.tryMs ?? TRY_MS, tries: TRIES })
    resolver.setServers([server])
    this.#resolvers.set(server, resolver)
    return resolver
  }
}

function replyTo(error: unknown): DnsReply {
  const { code } = error as { readonly code?: unknown }
  if (code === 'ENOTFOUND') return { status: 'nxdomain' }
  if (code === 'ENODATA') return { status: 'nodata' }
  return { status: 'error', error: (typeof code === 'string' && ERRORS[code]) || 'malformed' }
}

const rooted = (name: string): string => (name === '' ? '.' : name)
const mxText = ({ priority, exchange }: MxRecord): string => `${priority} ${rooted(exchange)}`
const srvText = ({ priority, weight, port, name }: SrvRecord): string =>
  `${priority} ${weight} ${port} ${rooted(name)}`
const soaText = (soa: SoaRecord): string => {
  const { nsname, hostmaster, serial, refresh, retry, expire, minttl } = soa
  return [rooted(nsname), rooted(hostmaster), serial, refresh, retry, expire, minttl].join(' ')
}

// Node gives each byte as one character; valid UTF-8 is decoded as UTF-8.
function txtText(latin: string): string {
  const bytes = Buffer.from(latin, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : latin
}

// Node names the property of the value after the tag.
function caaText(record: CaaRecord): string {
  const known = Object.entries(record).filter(([key]) => key !== 'critical' && key !== 'type')
  const [tag, value] = known[0] ?? ['', '']
  return `${record.critical} ${tag} "${value}"`
}

async function recordsOf(resolver: Resolver, host: string, type: RecordType): Promise<readonly string[]> {
  switch (type) {
    case 'A':
      return resolver.resolve4(host)
    case 'AAAA':
      return resolver.resolve6(host)
    case 'CNAME':
      return resolver.resolveCname(host)
    case 'NS':
      return resolver.resolveNs(host)
    case 'MX':
      return (await resolver.resolveMx(host)).map(mxText)
    case 'TXT':
      return (await resolver.resolveTxt(host)).map((chunks) => txtText(chunks.join('')))
    case 'CAA':
      return (await resolver.resolveCaa(host)).map(caaText)
    case 'SRV':
      return (await resolver.resolveSrv(host)).map(srvText)
    case 'SOA':
      return [soaText(await resolver.resolveSoa(host))]
  }
}
