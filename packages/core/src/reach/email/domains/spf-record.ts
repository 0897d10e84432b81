import { cut } from '../../../kernel/cut.ts'

/** A mechanism of an SPF record (RFC 7208, section 5). */
export interface SpfMechanism {
  readonly kind: 'all' | 'include' | 'a' | 'mx' | 'ptr' | 'ip4' | 'ip6' | 'exists'
  /** The result when it matches. */
  readonly result: 'pass' | 'fail' | 'softfail' | 'neutral'
  /** A name with macros, or the network of `ip4` and `ip6`; undefined: the domain itself. */
  readonly target: string | undefined
  readonly prefix4: number
  readonly prefix6: number
}

/** A parsed SPF record. */
export interface SpfRecord {
  readonly mechanisms: readonly SpfMechanism[]
  /** The domain whose record is evaluated next if no mechanism matches. */
  readonly redirect: string | undefined
}

/** A record that no receiver can evaluate; the message says why. */
export class SpfSyntaxError extends Error {}

const QUALIFIERS = { '+': 'pass', '-': 'fail', '~': 'softfail', '?': 'neutral' } as const
const MECHANISM = /^([+~?-]?)(all|include|a|mx|ptr|ip4|ip6|exists)(?::([^/\s]+))?((?:\/.*)?)$/i
const NETWORK = /^([+~?-]?)(ip[46]):([^/\s]+)(?:\/(0|[1-9]\d{0,2}))?$/i
const PREFIXES = /^(?:\/(0|[1-9]\d?))?(?:\/\/(0|[1-9]\d{0,2}))?$/
const MODIFIER = /^([a-z][a-z0-9_.-]*)=(.*)$/i
const NEEDS_TARGET = new Set(['include', 'exists'])
const TAKES_NO_TARGET = new Set(['all'])

/** The texts of a name that are SPF records. */
export const spfRecordsAmong = (texts: readonly string[]): readonly string[] =>
  texts.filter((text) => /^v=spf1(?: |$)/i.test(text))

/** Parses an SPF record. @throws SpfSyntaxError */
export function parseSpf(text: string): SpfRecord {
  const mechanisms: SpfMechanism[] = []
  const modifiers = new Map<string, string>()
  for (const term of text.split(/ +/).slice(1)) {
    if (term === '') continue
    const [, modifier = '', value = ''] = MODIFIER.exec(term) ?? []
    if (modifier === '') {
      mechanisms.push(parseMechanism(term))
      continue
    }
    const name = modifier.toLowerCase()
    if ((name === 'redirect' || name === 'exp') && (modifiers.has(name) || value === ''))
      throw new SpfSyntaxError(`the modifier ${name} is empty or repeated`)
    modifiers.set(name, value)
  }
  return { mechanisms, redirect: modifiers.get('redirect') }
}

function parseMechanism(term: string): SpfMechanism {
  const [, sign = '', family = '', network = '', bits] = NETWORK.exec(term) ?? []
  if (family !== '') {
    const most = family.toLowerCase() === 'ip4' ? 32 : 128
    const prefix = bits === undefined ? most : Number(bits)
    if (prefix > most) throw unreadable(term)
    const kind = family.toLowerCase() as 'ip4' | 'ip6'
    return { kind, result: resultOf(sign), target: network, prefix4: prefix, prefix6: prefix }
  }
  const [, qualifier = '', word = '', target, rest = ''] = MECHANISM.exec(term) ?? []
  const kind = word.toLowerCase() as SpfMechanism['kind']
  const [whole, four = '32', six = '128'] = PREFIXES.exec(rest) ?? []
  const isFaulty =
    word === '' ||
    whole === undefined ||
    kind === 'ip4' ||
    kind === 'ip6' ||
    (NEEDS_TARGET.has(kind) && target === undefined) ||
    (TAKES_NO_TARGET.has(kind) && target !== undefined) ||
    (rest !== '' && kind !== 'a' && kind !== 'mx')
  if (isFaulty || Number(four) > 32 || Number(six) > 128) throw unreadable(term)
  return { kind, result: resultOf(qualifier), target, prefix4: Number(four), prefix6: Number(six) }
}

const resultOf = (sign: string) => QUALIFIERS[(sign === '' ? '+' : sign) as keyof typeof QUALIFIERS]

const unreadable = (term: string) => new SpfSyntaxError(`"${cut(term, 64)}" cannot be read`)
