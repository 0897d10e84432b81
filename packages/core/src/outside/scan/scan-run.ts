import type { Base } from '../../platform/base.ts'
import type { DnsClient } from '../../platform/dns/dns-client.ts'
import { operatorOutbound } from '../../platform/net/operator-outbound.ts'
import { type PinnedDialler, pinnedDialler } from '../../platform/net/pinned-host.ts'
import { domainLookup } from '../../reach/email/domains/domain-dns.ts'
import { type Scan, type ScanTask, type Sight, scanServers } from '../../watch/surface/surface-sight.ts'
import { saysOwnership } from './attestation.ts'
import { cdnOf } from './cdn-ranges.ts'
import { CertificateNames, CT_LIMITS, certificateSources } from './certificate-names.ts'
import { HostWeb } from './host-web.ts'
import { eachOf, Pace } from './pacing.ts'
import { sweepPorts } from './port-sweep.ts'
import { type LiveHost, type NamedHost, type ResolvedHosts, resolveHosts } from './scan-hosts.ts'
import { lookAtWeb, noteTakeover } from './web-look.ts'

/** Dependencies that all scans of a process share. */
interface ScanTools extends Pick<Base, 'timers' | 'clock' | 'ids'> {
  readonly dns: DnsClient
  readonly dnsServers: readonly string[]
  readonly dialler: PinnedDialler
  readonly certificates: CertificateNames
  readonly pace: Pace
  readonly userAgent: string
}

/** The certificate logs that are asked unless the settings name others. */
export const CRT_SH = 'https://crt.sh/?q=%25.{domain}&output=json'
/** Connections of scans in a second, over all scans of a process. */
const CONNECTS_PER_SECOND = 200

const WEB_AT_ONCE = 8

/** Returns the scan of the settings, whose connections are paced over all scans of a process. */
export function scanOf(base: Base, dns: DnsClient): Scan {
  const { config, log, timers } = base
  const { ctUrl = CRT_SH, certSpotterToken } = config.surface
  const site = config.service.publicUrl?.replace(/\/$/, '')
  const userAgent = `svc-attack-surface/1${site === undefined ? '' : ` (+${site}/security)`}`
  const outbound = operatorOutbound({ log, limits: CT_LIMITS })
  const sources = certificateSources(ctUrl, certSpotterToken)
  const tools = {
    ...base,
    dns,
    dnsServers: scanServers(base, dns),
    dialler: pinnedDialler(config.outbound),
    certificates: new CertificateNames({ ...base, outbound, sources, userAgent }),
    pace: new Pace(timers, CONNECTS_PER_SECOND),
    userAgent,
  }
  return (task, sight) => runScan(tools, task, sight)
}

async function runScan(tools: ScanTools, task: ScanTask, sight: Sight): Promise<void> {
  const { onPart, signal, checks } = task
  const lookup = domainLookup(tools.dns, tools.dnsServers)
  signal.addEventListener('abort', () => lookup.cancel(), { once: true })
  await onPart(0)
  const names = await namesOf(tools, task, sight)
  await onPart(0.1)
  const { dialler } = tools
  const resolved = await resolveHosts(names, { lookup, dialler, signal })
  noteHosts(resolved, sight)
  const webs = new Map(
    resolved.live.map(({ name, pinned }) => [name, new HostWeb(pinned, { ...tools, signal })]),
  )
  await onPart(0.2)
  if (checks.includes('ports')) await sweep(tools, { task, webs, live: resolved.live, sight })
  await onPart(0.5)
  if (!checks.includes('files') && !checks.includes('fingerprint')) return
  for (const { name, alias } of checks.includes('fingerprint') ? resolved.gone : [])
    if (alias !== undefined) noteTakeover({ host: name, alias, page: undefined }, sight)
  const look = {
    domain: task.domain,
    checks: { files: checks.includes('files'), fingerprint: checks.includes('fingerprint') },
    dialler,
    lookup,
    webOf: (name: string) => webs.get(name),
    now: tools.clock.now(),
    random: () => tools.ids.secret(9).toLowerCase(),
    signal,
  }
  let done = 0
  await eachOf([...webs.values()], WEB_AT_ONCE, async (web) => {
    const seen = sight.hosts.get(web.host.name)
    if (seen !== undefined) await lookAtWeb(web, seen, look, sight)
    done += 1
    await onPart(0.5 + (0.5 * done) / webs.size)
  })
}

/** The names to look at: those asked for come first, so that certificates cannot crowd them out. */
async function namesOf(
  { certificates }: ScanTools,
  { domain, checks, params, known, signal }: ScanTask,
  sight: Sight,
): Promise<readonly NamedHost[]> {
  const sources = new Map<string, Set<string>>()
  const add = (name: string, source: string) =>
    sources.set(name, (sources.get(name) ?? new Set()).add(source))
  for (const name of [domain, `www.${domain}`]) add(name, 'seed')
  for (const name of params.hosts) add(name, 'request')
  for (const name of known) add(name, 'finding')
  if (checks.includes('ct')) {
    const { names, errors } = await certificates.of(domain, signal)
    for (const name of names) add(name, 'ct')
    for (const error of errors) sight.errors.push({ check: 'ct', ...error })
  }
  return [...sources].map(([name, from]) => ({ name, sources: [...from] }))
}

function noteHosts({ live, skipped, gone }: ResolvedHosts, sight: Sight): void {
  for (const { name, sources, pinned } of live) {
    const ips = pinned.addresses.map((ip) => ({ ip, attested: false, cdn: cdnOf(ip) }))
    sight.hosts.set(name, { name, sources, ips, ports: [], http: [] })
  }
  sight.skipped.push(...skipped)
  for (const { name, sources } of gone) {
    sight.gone(name)
    // A seed that nobody published says nothing.
    if (sources.some((source) => source !== 'seed')) sight.skipped.push({ host: name, reason: 'no_address' })
  }
}

interface Sweeping {
  readonly task: ScanTask
  readonly webs: ReadonlyMap<string, HostWeb>
  readonly live: readonly LiveHost[]
  readonly sight: Sight
}

/** Sweeps each address once, for all hosts that have it. */
async function sweep(tools: ScanTools, { task, webs, live, sight }: Sweeping): Promise<void> {
  const { attested, challenge, params, signal, onPart } = task
  const byAddress = new Map<string, LiveHost[]>()
  for (const host of live)
    for (const ip of host.pinned.addresses) byAddress.set(ip, [...(byAddress.get(ip) ?? []), host])
  const addresses = [...byAddress].map(([ip, hosts]) => ({
    ip,
    hosts,
    cdn: cdnOf(ip),
    attested: attested.has(ip),
  }))
  await eachOf(addresses, WEB_AT_ONCE, async (address) => {
    const [host] = address.hosts
    const web = host && webs.get(host.name)
    if (address.attested || address.cdn !== null || web === undefined) return
    address.attested = await saysOwnership(web, address.ip, challenge)
  })
  for (const { ip, attested: isAttested, hosts } of addresses)
    for (const { name } of hosts)
      for (const seen of sight.hosts.get(name)?.ips ?? []) if (seen.ip === ip) seen.attested = isAttested
  await onPart(0.3)
  const swept = addresses.map((address) => ({ ...address, hosts: address.hosts.map(({ pinned }) => pinned) }))
  await sweepPorts(swept, params.ports, { tools: { ...tools, signal }, sight })
}
