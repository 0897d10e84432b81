import type { PinnedDialler, PinnedHost } from '../../platform/net/pinned-host.ts'
import type { DomainLookup } from '../../reach/email/domains/domain-dns.ts'
import { SCAN_HOSTS } from '../../watch/surface/surface-scan.ts'
import { eachOf } from './pacing.ts'

/** A name that a scan looks at, and where it comes from. */
export interface NamedHost {
  readonly name: string
  readonly sources: readonly string[]
}

/** A host with the addresses that were admitted for it, resolved once for the whole scan. */
export interface LiveHost extends NamedHost {
  readonly pinned: PinnedHost
}

/** Names by their outcome. */
export interface ResolvedHosts {
  readonly live: readonly LiveHost[]
  readonly skipped: readonly { readonly host: string; readonly reason: string }[]
  /** Names that certainly have no address, with the alias that leads nowhere. */
  readonly gone: readonly (NamedHost & { readonly alias: string | undefined })[]
}

const ASKED_AT_ONCE = 16

/**
 * Resolves names. A name with one address that is not public is skipped as a whole; those beyond the limit of
 * hosts are skipped too.
 */
export async function resolveHosts(
  names: readonly NamedHost[],
  { lookup, dialler, signal }: { lookup: DomainLookup; dialler: PinnedDialler; signal: AbortSignal },
): Promise<ResolvedHosts> {
  const live = new Map<string, LiveHost>()
  const skipped: { host: string; reason: string }[] = []
  const gone: (NamedHost & { alias: string | undefined })[] = []
  await eachOf(names, ASKED_AT_ONCE, async (host) => {
    signal.throwIfAborted()
    const { name } = host
    if (live.size >= SCAN_HOSTS) {
      skipped.push({ host: name, reason: 'too_many_hosts' })
      return
    }
    const answers = [await lookup.find(name, 'A'), await lookup.find(name, 'AAAA')]
    const addresses = answers.flatMap((each) => (each.status === 'records' ? each.records : []))
    if (addresses.length === 0) {
      if (answers.some(({ status }) => status === 'unknown')) skipped.push({ host: name, reason: 'dns' })
      else gone.push({ ...host, alias: await aliasOf(name, lookup) })
      return
    }
    const pinned = dialler.pin(name, addresses)
    if (pinned === undefined) skipped.push({ host: name, reason: 'private_address' })
    else live.set(name, { ...host, pinned })
  })
  const ordered = names.flatMap(({ name }) => live.get(name) ?? [])
  for (const { name } of ordered.slice(SCAN_HOSTS)) skipped.push({ host: name, reason: 'too_many_hosts' })
  return { live: ordered.slice(0, SCAN_HOSTS), skipped, gone }
}

/** The name that a name is an alias of; undefined without one. */
export async function aliasOf(name: string, lookup: DomainLookup): Promise<string | undefined> {
  const found = await lookup.find(name, 'CNAME')
  return found.status === 'records' ? found.records[0]?.toLowerCase().replace(/\.$/, '') : undefined
}
