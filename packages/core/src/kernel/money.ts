/** An amount of money in the currency's smallest unit, such as cents. */
export interface Money {
  readonly minor: number
  /** ISO 4217, three capitals. */
  readonly currency: string
}

/** How a setting or an option spells an amount. */
export const MONEY_FORM = 'an amount such as 50.00 EUR'

const MONEY = /^(\d{1,9})\.(\d{2}) ([A-Z]{3})$/

/** Reads `50.00 EUR`: digits, a point, two digits, a blank, a currency. Undefined for every other text. */
export function readMoney(text: string): Money | undefined {
  const [, whole, cents, currency] = MONEY.exec(text) ?? []
  if (whole === undefined || cents === undefined || currency === undefined) return undefined
  return { minor: Number(whole + cents), currency }
}

/** Spells an amount as `readMoney` takes it. */
export function moneyText({ minor, currency }: Money): string {
  const digits = String(minor).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)} ${currency}`
}

const DECIMAL = /^(\d{1,12})(?:\.(\d{1,24}))?$/

/**
 * Reads a decimal number such as `4.5101` as a whole number of units of `10^-places`, rounded up, so that
 * no price is taken for less than it is. The text is never a float on the way. Undefined for a sign, an
 * exponent, a comma, or more than a safe integer holds.
 */
export function decimalUnits(text: string, places: number): number | undefined {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? []
  if (whole === undefined) return undefined
  const kept = fraction.slice(0, places).padEnd(places, '0')
  const isExact = /^0*$/.test(fraction.slice(places))
  const units = BigInt(whole + kept) + (isExact ? 0n : 1n)
  return units > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(units)
}
