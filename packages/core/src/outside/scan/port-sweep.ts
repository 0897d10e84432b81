import { present } from '../../kernel/present.ts'
import type { PinnedDialler, PinnedHost } from '../../platform/net/pinned-host.ts'
import type { Sight } from '../../watch/surface/surface-sight.ts'
import { eachOf, type Pace } from './pacing.ts'
import { portFinding } from './port-findings.ts'
import { portsOf } from './port-lists.ts'
import { probeService, type ServiceSight } from './port-probe.ts'

/** Connections of one scan at a time, and how long one attempt takes at most, in milliseconds. */
const PARALLEL = 64
const CONNECT_MS = 1500
const TRIES = 2

/** An address with the hosts that have it. */
export interface SweptAddress {
  readonly ip: string
  readonly attested: boolean
  readonly cdn: string | null
  readonly hosts: readonly PinnedHost[]
}

/** Dependencies of a sweep. */
export interface SweepTools {
  readonly dialler: PinnedDialler
  /** Connections in a second, over all scans of this process. */
  readonly pace: Pace
  readonly signal: AbortSignal
}

/** Connects to each port of each address once, and notes the open ones at every host that has the address. */
export async function sweepPorts(
  addresses: readonly SweptAddress[],
  asked: 'default' | 'top100' | readonly number[],
  { tools, sight }: { readonly tools: SweepTools; readonly sight: Sight },
): Promise<void> {
  const places = addresses.flatMap((address) => portsOf(asked, address).map((port) => ({ address, port })))
  await eachOf(places, PARALLEL, async ({ address, port }) => {
    const [host] = address.hosts
    if (host === undefined) return
    const service = await seenAt({ host, address: address.ip, port }, tools)
    for (const { name } of address.hosts) {
      sight.looked('ports', `${name}:${port}`)
      if (service !== undefined) noteOpen(sight, { name, ip: address.ip, port }, service)
    }
  })
}

async function seenAt(
  place: { readonly host: PinnedHost; readonly address: string; readonly port: number },
  { dialler, pace, signal }: SweepTools,
): Promise<ServiceSight | undefined> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    await pace.turn(signal)
    const dialled = await dialler.dial(place, { timeoutMs: CONNECT_MS, signal })
    if (dialled.state === 'open') return probeService(dialled.socket, place, { dialler, signal })
    if (dialled.state === 'closed') return undefined
  }
  return undefined
}

function noteOpen(
  sight: Sight,
  { name, ip, port }: { readonly name: string; readonly ip: string; readonly port: number },
  seen: ServiceSight,
): void {
  const { service, banner, tls } = seen
  const more = { ...present('banner', banner), ...present('tls', tls) }
  sight.hosts.get(name)?.ports.push({ ip, port, state: 'open', service, ...more })
  const finding = portFinding(name, port, seen)
  if (finding !== undefined) sight.found(finding)
}
