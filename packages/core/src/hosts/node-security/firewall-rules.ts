import { type AddressRange, mergedRanges } from './address-range.ts'
import { SSH_PORT } from './lock-out.ts'
import { mergedPorts } from './port-range.ts'
import type { AllowRule, SecuritySettings } from './security-settings.ts'

/** The table that is ours alone; no other is ever read or changed. */
export const FIREWALL_TABLE = { family: 'inet', name: 'svc_fw' } as const
/** The only chain of the table. */
export const FIREWALL_CHAIN = 'input'
/** Comment of the rule that lets connections go on that were there before the firewall. */
export const PICKUP_COMMENT = 'connections from before'

/** A part of a rule, in the words of libnftables-json(5). */
export type Expression = Readonly<Record<string, unknown>>

/** A rule of the chain. */
export interface FirewallRule {
  readonly expr: readonly Expression[]
  readonly comment?: string
}

/** A set of addresses that a rule fills itself, each with a rate. */
export interface RateSet {
  readonly name: string
  readonly type: 'ipv4_addr' | 'ipv6_addr'
}

/** The facts of a host that its rules depend on. */
export interface RulesFor {
  /** Ports that sshd listens on. */
  readonly sshPorts: readonly number[]
  /** Whether connections go on that the kernel did not track before. */
  readonly pickup: boolean
}

/** Sets of the rate limit of ssh. */
export const RATE_SETS: readonly RateSet[] = [
  { name: 'ssh_rate_4', type: 'ipv4_addr' },
  { name: 'ssh_rate_6', type: 'ipv6_addr' },
]

const ACCEPT: Expression = { accept: null }
const DROP: Expression = { drop: null }
const COUNTER: Expression = { counter: null }
/** Without these IPv6 does not work: neighbours, routers, and the size of packets that a path takes. */
const NEEDED_ICMPV6 = [
  'packet-too-big',
  'nd-router-solicit',
  'nd-router-advert',
  'nd-neighbor-solicit',
  'nd-neighbor-advert',
  'mld-listener-query',
]

const equals = (left: Expression, right: unknown, op = '=='): Expression => ({ match: { op, left, right } })
const meta = (key: string): Expression => ({ meta: { key } })
const payload = (protocol: string, name: string): Expression => ({ payload: { protocol, field: name } })
const state = (...states: string[]): Expression =>
  equals({ ct: { key: 'state' } }, states.length === 1 ? states[0] : states, 'in')
const oneOf = (values: readonly unknown[]): unknown => (values.length === 1 ? values[0] : { set: values })
const rule = (...expr: readonly Expression[]): FirewallRule => ({ expr })

/**
 * Returns the rules, first to last. They stand before the translation of addresses (-100), so that a port
 * means the host's own, also where a container is published on it, and after the tracking of connections
 * (-200). Nothing is dropped that leaves the host, or only passes through it.
 */
export function firewallRules({ firewall }: SecuritySettings, host: RulesFor): readonly FirewallRule[] {
  const { allow, deny_from, trusted_interfaces, icmp, ssh_rate_limit, log_drops } = firewall
  return [
    rule(equals(meta('iifname'), 'lo'), ACCEPT),
    ...trusted_interfaces.map((name) => rule(equals(meta('iifname'), name), ACCEPT)),
    rule(state('established', 'related'), ACCEPT),
    ...(host.pickup ? [PICKUP] : []),
    rule(state('invalid'), DROP),
    rule(equals({ fib: { result: 'type', flags: ['daddr'] } }, 'local', '!='), ACCEPT),
    ...(icmp ? [rule(equals(meta('l4proto'), oneOf(['icmp', 'ipv6-icmp'])), ACCEPT)] : [NEIGHBOURS]),
    rule(equals(payload('udp', 'dport'), oneOf([68, 546])), ACCEPT),
    ...bySource(deny_from).map((source) => rule(source, COUNTER, DROP)),
    ...rateLimit(ssh_rate_limit, host.sshPorts),
    ...allow.flatMap(opened),
    ...(log_drops ? [rule(limit(5), { log: { prefix: 'svc_fw drop: ' } })] : []),
    rule(COUNTER, DROP),
  ]
}

// Tracking begins with the first rule that asks for the state of a connection. A packet of an older one then
// counts as new, though it is no SYN.
const PICKUP: FirewallRule = {
  expr: [
    equals({ '&': [payload('tcp', 'flags'), ['fin', 'syn', 'rst', 'ack']] }, 'ack'),
    state('new'),
    ACCEPT,
  ],
  comment: PICKUP_COMMENT,
}

const NEIGHBOURS = rule(equals(payload('icmpv6', 'type'), oneOf(NEEDED_ICMPV6)), ACCEPT)

const limit = (perMinute: number, inv = false): Expression => ({
  limit: { rate: perMinute, per: 'minute', burst: perMinute, ...(inv && { inv }) },
})

const ports = (texts: readonly string[]): unknown =>
  oneOf(mergedPorts(texts).map(([first, last]) => (first === last ? first : { range: [first, last] })))

const rangeOf = ({ address, prefix, family }: AddressRange): unknown =>
  prefix === (family === 'ip' ? 32 : 128) ? address : { prefix: { addr: address, len: prefix } }

/** One expression for the sources of each family. */
const bySource = (texts: readonly string[]): Expression[] =>
  (['ip', 'ip6'] as const).flatMap((family) => {
    const ranges = mergedRanges(texts).filter((each) => each.family === family)
    return ranges.length === 0 ? [] : [equals(payload(family, 'saddr'), oneOf(ranges.map(rangeOf)))]
  })

function opened({ proto, ports: texts, from, comment }: AllowRule): FirewallRule[] {
  const open = [equals(payload(proto, 'dport'), ports(texts)), ACCEPT]
  const sources = from === undefined ? [[]] : bySource(from).map((source) => [source])
  return sources.map((source) => ({ expr: [...source, ...open], ...(comment ? { comment } : {}) }))
}

/** The limit stands before the rules that open ssh: behind them nothing would reach it. */
function rateLimit(perMinute: number, sshPorts: readonly number[]): FirewallRule[] {
  if (perMinute === 0) return []
  // A site of IPv6 has a /64 to itself.
  const sources = [payload('ip', 'saddr'), { '&': [payload('ip6', 'saddr'), 'ffff:ffff:ffff:ffff::'] }]
  const listening = sshPorts.length === 0 ? [SSH_PORT] : sshPorts
  return RATE_SETS.map(({ name }, index) =>
    rule(
      equals(payload('tcp', 'dport'), ports(listening.map(String))),
      state('new'),
      { set: { op: 'update', elem: sources[index], set: `@${name}`, stmt: [limit(perMinute, true)] } },
      COUNTER,
      DROP,
    ),
  )
}
