import { asciiName } from '../../kernel/ascii-name.ts'
import { type AddressRange, isWithin, readAddress, readRange } from '../net/address-range.ts'

/** Record types that monitors query (docs/monitors.md). */
export const RECORD_TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT', 'CAA', 'SRV', 'SOA'] as const
export type RecordType = (typeof RECORD_TYPES)[number]

/** Ways to compare an answer with the expected values; see `fits`. */
export const MATCHES = ['exact', 'contains', 'subset', 'absent'] as const
export type Match = (typeof MATCHES)[number]

/** Values of one answer: canonical, without duplicates, in byte order. Equal sets are equal lists. */
export type AnswerSet = readonly string[]

const U16 = '\\d{1,5}'
const U32 = '\\d{1,10}'
const NAME = '(\\S+)'
const shapeOf = (...parts: readonly string[]): RegExp => new RegExp(`^${parts.join('\\s+')}$`)
const ONE = shapeOf(NAME)
const MX = shapeOf(`(${U16})`, NAME)
const SRV = shapeOf(`(${U16})`, `(${U16})`, `(${U16})`, NAME)
const CAA = /^(\d{1,3})\s+([A-Za-z0-9]{1,255})\s+(.*)$/s
// The serial is the third of seven words, and may be left out.
const SOA = shapeOf(NAME, NAME, `(?:${U32}\\s+)?(${U32})`, `(${U32})`, `(${U32})`, `(${U32})`)

/** Returns a name in lower case without the trailing dot; the root stays a dot. */
const nameOf = (text: string): string => {
  const lower = text.toLowerCase()
  return lower.length > 1 && lower.endsWith('.') ? lower.slice(0, -1) : lower
}

const numeral = (text: string): string => String(Number(text))

function addressOf(text: string, kind: 'ipv4' | 'ipv6'): string | undefined {
  if (kind === 'ipv4') return text.includes(':') ? undefined : readAddress(text)?.toString()
  // The URL parser also normalizes IPv4-mapped addresses, and keeps them IPv6.
  return text.includes(':') && readAddress(text)
    ? new URL(`http://[${text}]`).hostname.slice(1, -1)
    : undefined
}

// International names stand for their A-labels, in all types with names.
function words(text: string, shape: RegExp): readonly string[] | undefined {
  const found = shape.exec(text)?.slice(1).map(asciiName)
  return found?.every((word) => word !== undefined) ? found : undefined
}

function caaOf(text: string): string | undefined {
  const [, flags, tag, value] = CAA.exec(text) ?? []
  if (flags === undefined || tag === undefined || value === undefined) return undefined
  return `${numeral(flags)} ${tag.toLowerCase()} "${/^"(.*)"$/s.exec(value)?.[1] ?? value}"`
}

const numbersThenName = (found: readonly string[] | undefined): string | undefined =>
  found && [...found.slice(0, -1).map(numeral), nameOf(found.at(-1) ?? '')].join(' ')

const namesThenNumbers = ([first = '', second = '', ...numbers]: readonly string[]): string =>
  [nameOf(first), nameOf(second), ...numbers.map(numeral)].join(' ')

/**
 * Returns the canonical spelling of a value: addresses normalized, names in lower case without the trailing
 * dot, SOA without its serial. TXT values are unchanged; their chunks are joined before. Undefined if the
 * type cannot have this value.
 */
export function canonicalValue(type: RecordType, text: string): string | undefined {
  if (type === 'TXT') return text
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  switch (type) {
    case 'A':
      return addressOf(trimmed, 'ipv4')
    case 'AAAA':
      return addressOf(trimmed, 'ipv6')
    case 'CNAME':
    case 'NS':
      return words(trimmed, ONE)?.map(nameOf)[0]
    case 'MX':
      return numbersThenName(words(trimmed, MX))
    case 'SRV':
      return numbersThenName(words(trimmed, SRV))
    case 'CAA':
      return caaOf(trimmed)
    case 'SOA': {
      const found = words(trimmed, SOA)
      return found && namesThenNumbers(found)
    }
  }
}

/** Returns whether values of this type are addresses, so that ranges can be expected too. */
const isAddressType = (type: RecordType): boolean => type === 'A' || type === 'AAAA'

function rangeOf(text: string, type: RecordType): AddressRange | undefined {
  try {
    const range = readRange(text)
    return range[0].kind() === (type === 'A' ? 'ipv4' : 'ipv6') ? range : undefined
  } catch {
    return undefined
  }
}

/** Returns the canonical spelling of an expected value: as above, or for A and AAAA also a CIDR range. */
export function canonicalExpected(type: RecordType, text: string): string | undefined {
  if (!isAddressType(type) || !text.includes('/')) return canonicalValue(type, text)
  const range = rangeOf(text.trim(), type)
  return range && `${range[0].toString()}/${range[1]}`
}

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

/** Returns the set of canonical values. */
export const setOf = (values: readonly string[]): AnswerSet => [...new Set(values)].sort(byBytes)

/** Returns the set of an answer, or undefined if a value does not fit the type. */
export function canonicalSet(type: RecordType, texts: readonly string[]): AnswerSet | undefined {
  const values = texts.map((text) => canonicalValue(type, text))
  const known = values.filter((value) => value !== undefined)
  return known.length === values.length ? setOf(known) : undefined
}

/** Returns whether two sets are equal. */
export const sameSet = (one: AnswerSet, other: AnswerSet): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index])

function covers(type: RecordType, expected: string, value: string): boolean {
  if (!isAddressType(type) || !expected.includes('/')) return expected === value
  const [range, address] = [rangeOf(expected, type), readAddress(value)]
  return range !== undefined && address !== undefined && isWithin(address, range)
}

/**
 * Returns whether an answer is as expected; all values are canonical. `exact`: it has every expected value
 * and no other · `contains`: it has every expected value · `subset`: it is not empty and has only expected
 * values · `absent`: it has none of the expected values, or is empty if none are given.
 */
export function fits(type: RecordType, match: Match, expected: AnswerSet, answer: AnswerSet): boolean {
  const isCovered = (value: string) => expected.some((each) => covers(type, each, value))
  const isThere = (each: string) => answer.some((value) => covers(type, each, value))
  switch (match) {
    case 'exact':
      return expected.every(isThere) && answer.every(isCovered)
    case 'contains':
      return expected.every(isThere)
    case 'subset':
      return answer.length > 0 && answer.every(isCovered)
    case 'absent':
      return expected.length === 0 ? answer.length === 0 : !answer.some(isCovered)
  }
}
