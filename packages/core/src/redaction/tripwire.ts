import { ibanLength } from './checksums.ts'
import { FAMILY } from './families.ts'
import { PROVIDER_PREFIXES } from './provider-patterns.ts'

interface Trigger {
  readonly literal: string
  readonly family: number
  readonly anyCase: boolean
}

const triggers = (family: number, anyCase: boolean, literals: readonly string[]): Trigger[] =>
  literals.map((literal) => ({ literal, family, anyCase }))

const TRIGGERS: readonly Trigger[] = [
  ...triggers(FAMILY.provider, false, PROVIDER_PREFIXES),
  ...triggers(FAMILY.pem, false, ['-----BEGIN']),
  ...triggers(FAMILY.jwt, false, ['eyJ']),
  ...triggers(FAMILY.url, false, ['://']),
  ...triggers(FAMILY.label, true, ['passw', 'passph', 'passco', 'pwd', '_pass', 'secret', 'token', 'key']),
  ...triggers(FAMILY.header, true, ['authorization', 'bearer', 'basic', 'cookie', 'curl ']),
  ...triggers(FAMILY.header, true, ['?key=', '&key=', '?sig', '&sig', '?auth=', '&auth=']),
]

const SLOT_BITS = 15
const SLOT_MASK = 2 ** SLOT_BITS - 1
const CODE_MASK = 31
const CARD_DIGITS = 12

const slotOf = (literal: string) =>
  [...literal.slice(0, 3)].reduce((slot, char) => (slot << 5) | (char.charCodeAt(0) & CODE_MASK), 0)

/**
 * By the low five bits of three characters in a row, which are equal for both cases of a letter: triggers
 * from 1.
 */
const SLOTS = new Uint8Array(SLOT_MASK + 1)
const CHAINS: Trigger[][] = [[]]
for (const trigger of TRIGGERS) {
  const slot = slotOf(trigger.literal)
  if (SLOTS[slot] === 0) SLOTS[slot] = CHAINS.push([]) - 1
  CHAINS[SLOTS[slot] ?? 0]?.push(trigger)
}

/** Lower case for letters; other characters may fall together, which costs a vain look and misses nothing. */
const LOWER_BIT = 32

function standsAt(text: string, at: number, literal: string): boolean {
  for (let place = 0; place < literal.length; place++) {
    if ((text.charCodeAt(at + place) | LOWER_BIT) !== (literal.charCodeAt(place) | LOWER_BIT)) return false
  }
  return true
}

function familiesAt(text: string, at: number, chain: number): number {
  let found = 0
  for (const { literal, family, anyCase } of CHAINS[chain] ?? []) {
    if (anyCase ? standsAt(text, at, literal) : text.startsWith(literal, at)) found |= family
  }
  return found
}

const BACKSLASH = 92
const PERCENT = 37

const isLetter = (code: number) => (code | LOWER_BIT) >= 97 && (code | LOWER_BIT) <= 122
const isDigit = (code: number) => code >= 48 && code <= 57

/**
 * Whether the two digits that end at `last` follow a country that has IBANs, at a place where a number may
 * begin: in the middle of a word only behind an escape (`EDGE`). Random hexadecimal text has such a country
 * in every fifth line.
 */
function beginsIban(text: string, last: number): boolean {
  const first = last - 3
  if (!isLetter(text.charCodeAt(first)) || !isLetter(text.charCodeAt(first + 1))) return false
  const before = text.charCodeAt(first - 1)
  const isInside = isLetter(before) || isDigit(before)
  if (isInside && text.charCodeAt(first - 2) !== BACKSLASH && text.charCodeAt(first - 3) !== PERCENT)
    return false
  return ibanLength(text.slice(first, first + 2).toUpperCase()) !== undefined
}

/**
 * What one pass over a text tells: the families of secrets that it can hold, and the union of its character
 * codes.
 */
export interface Reading {
  readonly families: number
  readonly codes: number
}

/**
 * Reads the text once and says which families of patterns can match at all: for nearly every log line, none.
 * It never misses a family (a test holds it against the whole table); it may name one in vain.
 *
 * A table of three-character beginnings instead of one large expression, because an expression tries its
 * alternatives one after the other at every character. Measured in `redactor.ts`.
 */
export function readFamilies(text: string): Reading {
  let families = 0
  let codes = 0
  let slot = 0
  let run = 0
  let digits = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    codes |= code
    slot = ((slot << 5) | (code & CODE_MASK)) & SLOT_MASK
    // Never undefined; to ask costs as much as the look.
    const chain = SLOTS[slot] as number
    if (chain !== 0) families |= familiesAt(text, at - 2, chain)
    if (isDigit(code)) {
      run++
      digits++
      if (run === 2 && beginsIban(text, at)) families |= FAMILY.iban
      if (digits === CARD_DIGITS) families |= FAMILY.card
    } else {
      run = 0
      if (code !== 32 && code !== 45) digits = 0
    }
  }
  // Most addresses in logs carry no user: without an `@` there is no password in them.
  if ((families & FAMILY.url) !== 0 && !text.includes('@')) families &= ~FAMILY.url
  return { families, codes }
}
