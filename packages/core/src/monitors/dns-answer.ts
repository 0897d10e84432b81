import { type AddressRange, isWithin, readAddress, readRange } from '../net/address-range.ts'

/** Record types that monitors ask for (wire-app §2). */
export const RECORD_TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT', 'CAA', 'SRV', 'SOA'] as const
export type RecordType = (typeof RECORD_TYPES)[number]

/** How an answer is held to what is expected. */
export const MATCHES = ['exact', 'contains', 'subset', 'absent'] as const
export type Match = (typeof MATCHES)[number]

/** Values of one answer, canonical, each once, in the order of their bytes: equal sets are equal lists. */
export type AnswerSet = readonly string[]

const U16 = '\\d{1,5}'
const U32 = '\\d{1,10}'
const NAME = '(\\S+)'
const shapeOf = (...parts: readonly string[]): RegExp => new RegExp(`^${parts.join('\\s+')}$`)
const MX = shapeOf(`(${U16})`, NAME)
const SRV = shapeOf(`(${U16})`, `(${U16})`, `(${U16})`, NAME)
const CAA = /^(\d{1,3})\s+([A-Za-z0-9]{1,255})\s+(.*)$/s
// The serial is the third of seven words; without it there are six.
const SOA = shapeOf(NAME, NAME, `(?:${U32}\\s+)?(${U32})`, `(${U32})`, `(${U32})`, `(${U32})`)

/** A name in lower case without the trailing dot; the root stays a dot. */
const nameOf = (text: string): string => {
  const lower = text.toLowerCase()
  return lower.length > 1 && lower.endsWith('.') ? lower.slice(0, -1) : lower
}

const numeral = (text: string): string => String(Number(text))

function addressOf(text: string, kind: 'ipv4' | 'ipv6'): string | undefined {
  if (kind === 'ipv4') return text.includes(':') ? undefined : readAddress(text)?.toString()
  // One spelling also for IPv4-mapped addresses, which stay what an AAAA record says.
  return text.includes(':') && readAddress(text)
    ? new URL(`http://[${text}]`).hostname.slice(1, -1)
    : undefined
}

function words(text: string, shape: RegExp): readonly string[] | undefined {
  return shape.exec(text)?.slice(1)
}

function caaOf(text: string): string | undefined {
  const [flags, tag, value] = words(text, CAA) ?? []
  if (flags === undefined || tag === undefined || value === undefined) return undefined
  return `${numeral(flags)} ${tag.toLowerCase()} "${/^"(.*)"$/s.exec(value)?.[1] ?? value}"`
}

const numbersThenName = (found: readonly string[] | undefined): string | undefined =>
  found && [...found.slice(0, -1).map(numeral), nameOf(found.at(-1) ?? '')].join(' ')

const namesThenNumbers = ([first = '', second = '', ...numbers]: readonly string[]): string =>
  [nameOf(first), nameOf(second), ...numbers.map(numeral)].join(' ')

/**
 * The one spelling of a value: addresses normalised, names in lower case without the trailing dot, CAA and
 * SRV whole, SOA without its serial. TXT values are taken as they are, their chunks joined before. Undefined
 * for what the type cannot hold.
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
      return /\s/.test(trimmed) ? undefined : nameOf(trimmed)
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

/** Whether values of this type are addresses, which may also be expected as ranges. */
const isAddressType = (type: RecordType): boolean => type === 'A' || type === 'AAAA'

function rangeOf(text: string, type: RecordType): AddressRange | undefined {
  try {
    const range = readRange(text)
    return range[0].kind() === (type === 'A' ? 'ipv4' : 'ipv6') ? range : undefined
  } catch {
    return undefined
  }
}

/** The one spelling of something expected: a value, or for A and AAAA also a range in CIDR. */
export function canonicalExpected(type: RecordType, text: string): string | undefined {
  if (!isAddressType(type) || !text.includes('/')) return canonicalValue(type, text)
  const range = rangeOf(text.trim(), type)
  return range && `${range[0].toString()}/${range[1]}`
}

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

/** The set of canonical values. */
export const setOf = (values: readonly string[]): AnswerSet => [...new Set(values)].sort(byBytes)

/** The set of an answer; undefined when a value is not of the type. */
export function canonicalSet(type: RecordType, texts: readonly string[]): AnswerSet | undefined {
  const values = texts.map((text) => canonicalValue(type, text))
  const known = values.filter((value) => value !== undefined)
  return known.length === values.length ? setOf(known) : undefined
}

/** Whether two sets are the same. */
export const sameSet = (one: AnswerSet, other: AnswerSet): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index])

function covers(type: RecordType, expected: string, value: string): boolean {
  if (!isAddressType(type) || !expected.includes('/')) return expected === value
  const [range, address] = [rangeOf(expected, type), readAddress(value)]
  return range !== undefined && address !== undefined && isWithin(address, range)
}

/**
 * Whether an answer is as expected; all values canonical. `exact`: nothing is missing and nothing is there
 * beside it · `contains`: nothing is missing · `subset`: something is there and nothing beside what is
 * expected · `absent`: nothing of it is there, or with no values given, nothing at all.
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
