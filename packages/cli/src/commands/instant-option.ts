import { Problem } from '@svc/core'

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
