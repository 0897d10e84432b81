const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const GROUP = /.{4}(?=.)/g
/** Bits of a character. */
const FIVE = 5
const BYTE = 8

/** Returns bytes as people write them down: groups of four characters that are not easily confused. */
export function spelled(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(BYTE, '0')).join('')
  const fives = bits.match(/.{1,5}/g) ?? []
  return fives
    .map((five) => ALPHABET[Number.parseInt(five.padEnd(FIVE, '0'), 2)])
    .join('')
    .replace(GROUP, '$&-')
}

/**
 * Returns the one form of what was typed. Case, blanks and dashes do not matter; o counts as 0, i and l as 1.
 */
export const spelling = (typed: string): string =>
  typed.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1')

/** Returns the bytes that were spelled, without bits beyond the last whole byte; undefined for other text. */
export function unspelled(typed: string): Buffer | undefined {
  const values = [...spelling(typed)].map((char) => ALPHABET.indexOf(char))
  if (values.includes(-1)) return undefined
  const bits = values.map((value) => value.toString(2).padStart(FIVE, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
