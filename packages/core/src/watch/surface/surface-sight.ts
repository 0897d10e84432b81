import type { Base } from '../../platform/base.ts'
import type { DnsClient } from '../../platform/dns/dns-client.ts'
import { type Finding, shownText } from './surface-finding.ts'
import {
  EMPTY_RESULT,
  type OpenPort,
  type ScanParams,
  type ScanResult,
  type SeenHost,
  type SeenSite,
  type SurfaceCheck,
} from './surface-scan.ts'

/** A host as a scan gets to know it. */
export interface HostSight {
  readonly name: string
  readonly sources: readonly string[]
  readonly ips: { ip: string; attested: boolean; cdn: string | null }[]
  readonly ports: OpenPort[]
  readonly http: SeenSite[]
}

/** Everything that a scan has seen so far, and the places where it has looked to the end. */
export class Sight {
  readonly hosts = new Map<string, HostSight>()
  readonly skipped: { host: string; reason: string }[] = []
  readonly errors: { check: string; source: string; error: string }[] = []
  readonly #findings = new Map<string, Finding>()
  readonly #looked = { ports: new Set<string>(), files: new Set<string>(), fingerprint: new Set<string>() }
  readonly #gone = new Set<string>()

  /** Adds a finding; the same one again changes nothing. */
  found(finding: Finding): void {
    const key = `${finding.id}\n${finding.place}\n${finding.url ?? ''}`
    if (!this.#findings.has(key)) this.#findings.set(key, finding)
  }

  get findings(): readonly Finding[] {
    return [...this.#findings.values()]
  }

  /** Notes that a check has looked at a place to the end. */
  looked(check: 'ports' | 'files' | 'fingerprint', place: string): void {
    this.#looked[check].add(place)
  }

  /** Notes that a host has no address any more, so that nothing can be found there. */
  gone(host: string): void {
    this.#gone.add(host)
  }

  /** Whether a finding of before would have been seen, if it were still there. */
  hasLookedFor({ check, host, place }: Pick<Finding, 'check' | 'host' | 'place'>): boolean {
    return check !== 'ct' && (this.#gone.has(host) || this.#looked[check].has(place))
  }

  /** The result as it is stored and shown. */
  result(): ScanResult {
    const hosts: SeenHost[] = [...this.hosts.values()].map((host) => ({
      ...host,
      ports: host.ports.toSorted((one, other) => one.port - other.port || (one.ip < other.ip ? -1 : 1)),
    }))
    const errors = this.errors.map((each) => ({ ...each, error: shownText(each.error, 128) }))
    return { ...EMPTY_RESULT, hosts, findings: this.findings, skipped: this.skipped, errors }
  }
}

/** Task of one scan. */
export interface ScanTask {
  readonly domain: string
  readonly checks: readonly SurfaceCheck[]
  readonly params: ScanParams
  /** The 43 characters that prove the domain to the license. */
  readonly challenge: string
  /** Addresses that heartbeats of the license came from. */
  readonly attested: ReadonlySet<string>
  /** Hosts of open findings, which are looked at again. */
  readonly known: readonly string[]
  /** Called between the parts of a scan with its progress; it throws to end the scan. */
  readonly onPart: (progress: number) => Promise<void>
  readonly signal: AbortSignal
}

/** Looks at a domain from outside. Everything seen stands in `sight`, also when the scan ends early. */
export type Scan = (task: ScanTask, sight: Sight) => Promise<void>

/** Returns the DNS servers that scans and proofs ask. */
export const scanServers = ({ config }: Pick<Base, 'config'>, dns: DnsClient): readonly string[] =>
  config.surface.dnsServers.length > 0 ? config.surface.dnsServers : dns.systemServers()
