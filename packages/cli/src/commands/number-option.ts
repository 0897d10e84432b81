import { Problem } from '@svc/core'

/**
 * The value of a flag that takes a whole number; undefined when it was not given.
 * @throws Problem `invalid-input` naming the flag
 */
export function wholeNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new Problem('invalid-input', { detail: `${flag} must be a whole number` })
}
