const DIGIT_ZERO = 48
const LETTER_A = 65
const UPPER_MASK = 0x5f
const SPACE = 32
const DASH = 45
const IBAN_HEAD = 4

/**
 * Returns whether a number has a valid check digit for payment cards (ISO/IEC 7812-1, annex B). `digits` must
 * be ASCII digits.
 */
export function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let place = 0; place < digits.length; place++) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - DIGIT_ZERO
    const weighted = place % 2 === 0 ? digit : digit * 2
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return sum % 10 === 0
}

/** Length of an IBAN by country (ISO 13616 registry). */
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ' +
    'ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 ' +
    'LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 ' +
    'PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 ' +
    'YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))] as const),
)

/** Returns the length of a country's IBANs, or undefined if it has none. `country` is in capitals. */
export function ibanLength(country: string): number | undefined {
  return IBAN_LENGTHS.get(country)
}

/** Adds one letter or digit to a remainder modulo 97; letters of either case count from 10. */
function remainderWith(rest: number, code: number): number {
  return code < LETTER_A
    ? (rest * 10 + code - DIGIT_ZERO) % 97
    : (rest * 100 + (code & UPPER_MASK) - LETTER_A + 10) % 97
}

/**
 * Returns the length of the IBAN at the beginning of `text`, including single spaces or dashes between its
 * groups; 0 if there is none. An IBAN has its country's length, and leaves 1 modulo 97 after its first four
 * characters move to the end (ISO 7064 MOD 97-10). `text` has ASCII letters, digits, spaces and dashes only.
 */
export function ibanExtent(text: string): number {
  const length = ibanLength(text.slice(0, 2).toUpperCase())
  if (length === undefined) return 0
  let rest = 0
  let seen = 0
  let extent = 0
  for (; extent < text.length && seen < length; extent++) {
    const code = text.charCodeAt(extent)
    if (code === SPACE || code === DASH) continue
    seen++
    if (seen > IBAN_HEAD) rest = remainderWith(rest, code)
  }
  for (let place = 0; place < IBAN_HEAD; place++) rest = remainderWith(rest, text.charCodeAt(place))
  if (seen !== length || rest !== 1) return 0
  return /[A-Za-z0-9]/.test(text[extent] ?? '') ? 0 : extent
}
