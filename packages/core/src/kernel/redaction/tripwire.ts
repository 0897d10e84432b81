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
 * Number of the trigger chain (from 1) by the low five bits of three characters in a row. These bits are the
 * same for both cases of a letter.
 */
const SLOTS = new Uint8Array(SLOT_MASK + 1)
const CHAINS: Trigger[][] = [[]]
for (const trigger of TRIGGERS) {
  const slot = slotOf(trigger.literal)
  if (SLOTS[slot] === 0) SLOTS[slot] = CHAINS.push([]) - 1
  CHAINS[SLOTS[slot] ?? 0]?.push(trigger)
}

/**
 * Makes letters lower case. Other characters may become equal, which costs a useless check but misses
 * nothing.
 */
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
 * Returns whether the two digits that end at `last` follow the code of a country with IBANs, at a position
 * where a number may begin: inside a word only after an escape (`EDGE`). Every fifth line of random
 * hexadecimal text has such a code.
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
 * Result of one pass over a text: the families of secrets that it can contain, and the union of its character
 * codes.
 */
export interface Reading {
  readonly families: number
  readonly codes: number
}

/**
 * Reads the text once and returns the families of patterns that can match; for nearly every log line, none.
 * It never misses a family, which a test checks against the whole table, but may return one in vain.
 *
 * A table of three-character prefixes replaces one large expression, which would try its alternatives one
 * after another at every character.
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
    // Never undefined; a check would cost as much as the lookup.
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
  // A URL without an `@` has no password in it; most URLs in logs have none.
  if ((families & FAMILY.url) !== 0 && !text.includes('@')) families &= ~FAMILY.url
  return { families, codes }
}
