import { Problem } from '@svc/core'

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
