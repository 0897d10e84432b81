import { Problem } from '@svc/core/client'

/**
 * The unix second of an ISO-8601 text.
 * @throws Problem `invalid-input`
 */
export function secondOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const at = Date.parse(text)
  if (Number.isNaN(at)) {
    throw new Problem('invalid-input', { detail: `${flag} takes an ISO-8601 date and time, not ${text}` })
  }
  return Math.floor(at / 1000)
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 }

/**
 * The seconds of a duration such as 900, 30m, 2h or 7d.
 * @throws Problem `invalid-input`
 */
export function secondsOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const [, amount, unit = ''] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? []
  if (amount === undefined) {
    throw new Problem('invalid-input', { detail: `${flag} takes 900, 30m, 2h or 7d, not ${text}` })
  }
  return Number(amount) * (UNIT_SECONDS[unit] ?? 1)
}

/**
 * The value of a flag that takes a whole number; undefined when it was not given.
 * @throws Problem `invalid-input` naming the flag
 */
export function wholeNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new Problem('invalid-input', { detail: `${flag} must be a whole number` })
}
