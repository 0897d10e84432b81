import {
  FIREWALL_CHAIN,
  FIREWALL_TABLE,
  type FirewallRule,
  firewallRules,
  RATE_SETS,
  type RulesFor,
} from './firewall-rules.ts'
import type { SecuritySettings } from './security-settings.ts'

type Fields = Readonly<Record<string, unknown>>

const { family, name: table } = FIREWALL_TABLE

/** The chain, as nft makes it. */
export const CHAIN = {
  family,
  table,
  name: FIREWALL_CHAIN,
  type: 'filter',
  hook: 'prerouting',
  prio: -110,
  policy: 'accept',
} as const

/** Most sources that a rate is kept of, and how long it is kept, in seconds. */
export const RATE_SET = { size: 65_535, timeout: 300 } as const

/** Takes the table away, whether it is there or not. */
const AWAY = [{ add: { table: FIREWALL_TABLE } }, { delete: { table: FIREWALL_TABLE } }]

const withRules = (rules: readonly FirewallRule[]): readonly object[] => [
  { add: { table: FIREWALL_TABLE } },
  // nft 1.0.6 does not know the word `dynamic` in JSON; the kernel sets it, as a rule fills the set.
  ...RATE_SETS.map((set) => ({ add: { set: { family, table, ...set, ...RATE_SET, flags: ['timeout'] } } })),
  { add: { chain: CHAIN } },
  ...rules.map((rule) => ({ add: { rule: { family, table, chain: FIREWALL_CHAIN, ...rule } } })),
]

/**
 * Returns the ruleset as one JSON document, which `nft -j -f` takes as a whole or not at all: the table is
 * replaced, or taken away when the firewall is not enabled.
 */
export const firewallJson = (settings: SecuritySettings, host: RulesFor): string =>
  nftDocument(settings.firewall.enabled ? withRules(firewallRules(settings, host)) : [])

/**
 * Returns the document that brings a listed table back. `listed` is the answer of
 * `nft -j list table inet svc_fw`; undefined when there was none.
 */
export function firewallJsonOf(listed: unknown): string {
  const { nftables = [] } = (listed ?? {}) as { nftables?: readonly Readonly<Record<string, Fields>>[] }
  const objects = nftables.flatMap((entry) =>
    Object.entries(entry)
      .filter(([kind]) => kind !== 'metainfo')
      // Handles and learnt addresses are the kernel's.
      .map(([kind, { handle: _, elem: __, ...fields }]) => ({
        add: { [kind]: fields },
      })),
  )
  return nftDocument(objects)
}

const nftDocument = (objects: readonly object[]): string =>
  `${JSON.stringify({ nftables: [...AWAY, ...objects] })}\n`
