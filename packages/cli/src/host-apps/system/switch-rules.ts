import { createHash } from 'node:crypto'

/** The way to an application on this host. */
export interface Route {
  /** The user of the application. */
  readonly uid: number
  /** The ways of visitors to its processes. */
  readonly ways: readonly Way[]
  /** Ports of all instances, also of those that start or end. */
  readonly all: readonly number[]
  /** Addresses at which its containers reach each other. */
  readonly names?: readonly ServiceRoute[]
  /** Users of the applications that reach this one by their links. */
  readonly linked?: readonly number[]
}

/** The way of visitors to a process. */
export interface Way {
  /** The port of 127.0.0.1 that stays the process's. */
  readonly port: number
  /** Ports of the instances that get new connections; none: visitors see the page of a stopped app. */
  readonly instances: readonly number[]
}

/** The way to a service for other containers of its application. */
export interface ServiceRoute {
  readonly address: string
  /** The port of the container. */
  readonly port: number
  /** Ports of 127.0.0.1 that lead there. */
  readonly instances: readonly number[]
}

/** The addresses of services. No network has them: the kernel leads each application to its own. */
export const SERVICE_RANGE = '198.19.0.0/16'

/** The address of a service, which stays the same: a container has it from its start to its end. */
export function serviceAddress(process: string): string {
  const [high, low] = createHash('sha256').update(process).digest()
  return `198.19.${high}.${low}`
}

/** The table of the rules of applications. */
export const TABLE = 'svc_apps'

const listed = (elements: readonly (number | string)[]): string => elements.join(', ')

const inTurn = (instances: readonly number[]): string =>
  `numgen inc mod ${instances.length} map { ${listed(instances.map((port, index) => `${index} : 127.0.0.1 . ${port}`))} }`

function dnat({ port, instances }: Way): readonly string[] {
  if (instances.length === 0) return []
  return [
    `add rule inet ${TABLE} switch ip daddr 127.0.0.1 tcp dport ${port} dnat ip to ${inTurn(instances)}`,
  ]
}

/** Leads a container to the services of its own application. */
function named({ uid, names = [] }: Route): readonly string[] {
  return names
    .filter(({ instances }) => instances.length > 0)
    .map(
      ({ address, port, instances }) =>
        `add rule inet ${TABLE} switch meta skuid ${uid} ip daddr ${address} tcp dport ${port} dnat ip to ${inTurn(instances)}`,
    )
}

/**
 * Returns the rules of all applications as one transaction of nft: whatever stood there before, afterwards
 * these rules stand, and there is no moment between.
 *
 * - `switch` leads new connections to a stable port to an instance, in turn. Open connections stay where
 *   they are. Its priority is before `dstnat` of others. So it does with the addresses of services, for the
 *   processes of their application's user alone, which speak for its containers.
 * - `guard` lets root, the proxy, the application itself and those that are linked to it connect to its
 *   ports, and resets everybody else on this host.
 *   At ::1 nobody is let in: an instance may listen at 127.0.0.1 alone, no rule leads from one family to the
 *   other, and any user could listen there. A visitor of `localhost` then comes by 127.0.0.1.
 *   A connection that ended by a reset is forgotten at once: the kernel would lead the next one from the same
 *   port of its visitor to the instance that is gone, for ten seconds. One that ended well is forgotten after
 *   ten seconds and not two minutes, or busy hosts would run out of places for connections.
 * - `outside` resets connections that come from elsewhere: an application that listens at all addresses is
 *   not open to the network for it.
 *
 * @param guests users who may connect to every application: root and the proxy
 * @param forgets whether this kernel takes rules about the time that it remembers connections for
 */
export function switchRules(routes: readonly Route[], guests: readonly number[], forgets = true): string {
  const portsOf = ({ ways, all }: Route) => [...ways.map(({ port }) => port), ...all]
  const guarded = routes.flatMap(portsOf)
  const stable = [...new Set(routes.flatMap(({ ways }) => ways.map(({ port }) => port)))]
  // An application that is linked reaches its visitors' ways, and no service behind them.
  const openTo = (route: Route, user: number) =>
    [...guests, route.uid].includes(user)
      ? portsOf(route)
      : route.ways.flatMap(({ port, instances }) => [port, ...instances])
  const allowed = routes.flatMap((route) =>
    [...new Set([...guests, route.uid, ...(route.linked ?? [])])].flatMap((user) =>
      openTo(route, user).map((each) => `${user} . ${each}`),
    ),
  )
  const filled = (set: string, elements: readonly (number | string)[]) =>
    elements.length === 0 ? [] : [`add element inet ${TABLE} ${set} { ${listed(elements)} }`]
  return `${[
    `add table inet ${TABLE}`,
    `add set inet ${TABLE} guarded { type inet_service; }`,
    `add set inet ${TABLE} allowed { typeof meta skuid . tcp dport; }`,
    ...(forgets
      ? [
          `add ct timeout inet ${TABLE} ended { protocol tcp; l3proto ip; policy = { close : 0, time_wait : 10 }; }`,
        ]
      : []),
    `add chain inet ${TABLE} switch { type nat hook output priority -110; policy accept; }`,
    `add chain inet ${TABLE} guard { type filter hook output priority 0; policy accept; }`,
    `add chain inet ${TABLE} outside { type filter hook input priority 0; policy accept; }`,
    ...['switch', 'guard', 'outside'].map((chain) => `flush chain inet ${TABLE} ${chain}`),
    ...['guarded', 'allowed'].map((set) => `flush set inet ${TABLE} ${set}`),
    ...filled('guarded', [...new Set(guarded)]),
    ...filled('allowed', [...new Set(allowed)]),
    ...(forgets
      ? [
          `add rule inet ${TABLE} guard ip protocol tcp tcp dport @guarded ct state new ct timeout set "ended"`,
        ]
      : []),
    `add rule inet ${TABLE} guard oifname "lo" tcp dport @guarded ct state new meta skuid . tcp dport != @allowed reject with tcp reset`,
    ...(stable.length === 0
      ? []
      : [`add rule inet ${TABLE} guard ip6 daddr ::1 tcp dport { ${listed(stable)} } reject with tcp reset`]),
    `add rule inet ${TABLE} outside iifname != "lo" tcp dport @guarded reject with tcp reset`,
    ...routes.flatMap(({ ways }) => ways.flatMap(dnat)),
    ...routes.flatMap(named),
    // At other ports, and for everybody else, nobody answers there: the range leads to this host.
    ...(routes.some(({ names = [] }) => names.length > 0)
      ? [
          `add rule inet ${TABLE} guard ip daddr ${SERVICE_RANGE} meta l4proto tcp ct state new reject with tcp reset`,
        ]
      : []),
  ].join('\n')}\n`
}
