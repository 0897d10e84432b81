import type { PinnedAnswer, PinnedDialler } from '../../platform/net/pinned-host.ts'
import type { DomainLookup } from '../../reach/email/domains/domain-dns.ts'
import type { Finding } from '../../watch/surface/surface-finding.ts'
import type { HostSight, Sight } from '../../watch/surface/surface-sight.ts'
import { isWithinDomain } from '../../watch/surface/surface-target.ts'
import { exposedFiles } from './exposed-files.ts'
import { headerFindings, seenSite } from './fingerprint.ts'
import { type HostWeb, originsOf, type WebOrigin } from './host-web.ts'
import { iconDigest } from './murmur3.ts'
import { aliasOf } from './scan-hosts.ts'
import { danglingProvider } from './takeover.ts'
import { tlsFacts, tlsFindings } from './tls-facts.ts'

/** Addresses of a host that are tried for its web server, and redirects that are followed. */
const TRIED_ADDRESSES = 2
const MOST_REDIRECTS = 3
const TLS_MS = 5000

/** Dependencies of a look at the web servers of a host. */
export interface WebLook {
  readonly domain: string
  readonly checks: { readonly files: boolean; readonly fingerprint: boolean }
  readonly dialler: PinnedDialler
  readonly lookup: DomainLookup
  /** The requests to a host of the scan; undefined for every other name. */
  readonly webOf: (name: string) => HostWeb | undefined
  readonly now: Date
  readonly random: () => string
  readonly signal: AbortSignal
}

interface FoundOrigin {
  readonly origin: WebOrigin
  readonly answer: Extract<PinnedAnswer, { ok: true }>
}

/** Looks at the web servers of a host: their software, and content that should not be public. */
export async function lookAtWeb(web: HostWeb, seen: HostSight, look: WebLook, sight: Sight): Promise<void> {
  const { name } = web.host
  const { found, isSilent } = await originsFound(web)
  const [first] = found
  if (look.checks.files && first !== undefined) {
    const files = await exposedFiles(web, first.origin, look.random)
    for (const finding of files.findings) sight.found(finding)
    if (files.isComplete) sight.looked('files', name)
  } else if (look.checks.files && !isSilent) sight.looked('files', name)
  if (!look.checks.fingerprint) return
  for (const { origin, answer } of found) await fingerprinted(web, { origin, answer }, { seen, look, sight })
  for (const finding of await tlsFound(web, found, look)) sight.found(finding)
  const page = found.map(({ answer }) => answer.body.toString('latin1')).join('\n')
  const alias = await aliasOf(name, look.lookup)
  if (alias !== undefined && page !== '') noteTakeover({ host: name, alias, page }, sight)
  if (!isSilent) sight.looked('fingerprint', name)
}

/** Notes that a stranger could claim the name at the service that its alias leads to. */
export function noteTakeover(
  { host, alias, page }: { readonly host: string; readonly alias: string; readonly page: string | undefined },
  sight: Sight,
): void {
  const provider = danglingProvider(alias, page)
  if (provider === undefined) return
  sight.found({
    id: 'dangling-alias',
    check: 'fingerprint',
    severity: 'high',
    host,
    place: host,
    evidence: `alias of ${alias}`.slice(0, 64),
    remediation: `remove the record, or claim the name at ${provider}`,
  })
}

/** Asks for the front page with and without TLS. Silent: some address may have one that did not answer. */
async function originsFound(web: HostWeb): Promise<{ found: readonly FoundOrigin[]; isSilent: boolean }> {
  const found: FoundOrigin[] = []
  let isSilent = false
  for (const port of [443, 80]) {
    for (const address of web.host.addresses.slice(0, TRIED_ADDRESSES)) {
      const origin = originsOf(address).find((each) => each.port === port)
      const answer = origin && (await web.get(origin, '/'))
      if (origin === undefined || answer === undefined) continue
      if (answer.ok) {
        found.push({ origin, answer })
        break
      }
      if (answer.refusal === 'timeout' || answer.refusal === 'broken') isSilent = true
    }
  }
  return { found, isSilent }
}

async function fingerprinted(
  web: HostWeb,
  { origin, answer }: FoundOrigin,
  { seen, look, sight }: { seen: HostSight; look: WebLook; sight: Sight },
): Promise<void> {
  const icon = await web.get(origin, '/favicon.ico')
  const hasIcon = icon?.ok && icon.status === 200 && icon.body.length > 0
  const site = seenSite(web.url(origin, '/'), answer, hasIcon ? iconDigest(icon.body) : undefined)
  seen.http.push(site)
  for (const finding of headerFindings(web.host.name, site)) sight.found(finding)
  await follow(site.url, site.location, { seen, look })
}

/** Follows redirects to hosts of this scan inside of the domain. All others are noted and not followed. */
async function follow(
  from: string,
  to: string | undefined,
  { seen, look }: { seen: HostSight; look: WebLook },
): Promise<void> {
  let [base, location] = [from, to]
  for (let hops = 0; hops < MOST_REDIRECTS && location !== undefined; hops += 1) {
    const url = URL.parse(location, base)
    const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
    if (url === null || !isWeb || url.port !== '' || !isWithinDomain(url.hostname, look.domain)) return
    const web = look.webOf(url.hostname)
    const origin =
      web &&
      originsOf(web.host.addresses[0] ?? '').find(({ isSecure }) => isSecure === (url.protocol === 'https:'))
    if (web === undefined || origin === undefined || seen.http.some((each) => each.url === url.href)) return
    const answer = await web.get(origin, `${url.pathname}${url.search}`)
    if (answer?.ok !== true) return
    const site = seenSite(url.href.slice(0, 512), answer)
    seen.http.push(site)
    base = url.href
    location = site.location
  }
}

async function tlsFound(
  { host }: HostWeb,
  found: readonly FoundOrigin[],
  { dialler, now, signal }: WebLook,
): Promise<readonly Finding[]> {
  const secure = found.find(({ origin }) => origin.isSecure)
  if (secure === undefined) return []
  const place = { host, address: secure.origin.address, port: secure.origin.port }
  const options = { timeoutMs: TLS_MS, signal }
  const dialled = await dialler.dial(place, options)
  if (dialled.state !== 'open') return []
  const secured = await dialler.secure(dialled.socket, place, options)
  if (secured === undefined) return []
  try {
    return tlsFindings(tlsFacts(secured, host.name), { host: host.name, port: place.port, now })
  } finally {
    secured.destroy()
  }
}
