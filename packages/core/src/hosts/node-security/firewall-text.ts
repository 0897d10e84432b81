import { CHAIN, RATE_SET } from './firewall-json.ts'
import {
  type Expression,
  FIREWALL_TABLE,
  type FirewallRule,
  firewallRules,
  RATE_SETS,
  type RulesFor,
} from './firewall-rules.ts'
import type { SecuritySettings } from './security-settings.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Returns the ruleset in nft's own language, for people to read. Hosts get JSON, which leaves no room for a
 * text that is read as something else.
 */
export function firewallText(settings: SecuritySettings, host: RulesFor): string {
  if (!settings.firewall.enabled) return '# the firewall is not enabled: there is no table inet svc_fw\n'
  const sets = RATE_SETS.flatMap(({ name, type }) => [
    `  set ${name} {`,
    `    type ${type}`,
    `    size ${RATE_SET.size}`,
    '    flags dynamic,timeout',
    `    timeout ${RATE_SET.timeout / 60}m`,
    '  }',
  ])
  return [
    `table ${FIREWALL_TABLE.family} ${FIREWALL_TABLE.name} {`,
    ...sets,
    `  chain ${CHAIN.name} {`,
    `    type ${CHAIN.type} hook ${CHAIN.hook} priority ${CHAIN.prio}; policy ${CHAIN.policy};`,
    ...firewallRules(settings, host).map((rule) => `    ${ruleText(rule)}`),
    '  }',
    '}',
    '',
  ].join('\n')
}

const ruleText = ({ expr, comment }: FirewallRule): string =>
  [...expr.map(statement), ...(comment === undefined ? [] : [`comment "${comment}"`])].join(' ')

/** The words of each statement that our rules use. */
const STATEMENTS: Readonly<Record<string, (value: Fields) => string>> = {
  match: ({ op, left, right }) =>
    `${leftText(left as Expression)} ${op === '!=' ? '!= ' : ''}${rightText(right)}`,
  accept: () => 'accept',
  drop: () => 'drop',
  counter: () => 'counter',
  log: ({ prefix }) => `log prefix "${prefix}"`,
  limit: ({ rate, burst, inv }) => `limit rate ${inv ? 'over ' : ''}${rate}/minute burst ${burst} packets`,
  set: ({ op, elem, set, stmt }) =>
    `${op} ${set} { ${leftText(elem as Expression)} ${(stmt as Expression[]).map(statement).join(' ')} }`,
}

const statement = (expression: Expression): string => wordsOf(STATEMENTS, expression)

/** The words of each thing that our rules compare. */
const LEFTS: Readonly<Record<string, (value: Fields) => string>> = {
  meta: ({ key }) => (key === 'iifname' ? 'iifname' : `meta ${key}`),
  payload: ({ protocol, field }) => `${protocol} ${field}`,
  ct: ({ key }) => `ct ${key}`,
  fib: ({ flags, result }) => `fib ${(flags as string[]).join(' . ')} ${result}`,
  '&': (value) => {
    const [left, mask] = value as unknown as readonly [Expression, string | readonly string[]]
    return `${leftText(left)} & ${typeof mask === 'string' ? mask : `(${mask.join(' | ')})`}`
  },
}

const leftText = (expression: Expression): string => wordsOf(LEFTS, expression)

function wordsOf(words: Readonly<Record<string, (value: Fields) => string>>, expression: Expression): string {
  const [kind = '', value] = Object.entries(expression)[0] ?? []
  const say = words[kind]
  if (say === undefined) throw new Error(`no words for ${kind}`)
  return say(value as Fields)
}

function rightText(right: unknown): string {
  if (typeof right === 'number') return String(right)
  if (typeof right === 'string') return /^[\w.:-]+$/.test(right) ? right : `"${right}"`
  if (Array.isArray(right)) return right.map(rightText).join(',')
  const { set, range, prefix } = right as Readonly<Record<string, unknown>>
  if (set !== undefined) return `{ ${(set as unknown[]).map(rightText).join(', ')} }`
  if (range !== undefined) return (range as number[]).join('-')
  const { addr, len } = prefix as { addr: string; len: number }
  return `${addr}/${len}`
}
