import { requireExact } from '@svc/core/client'

/**
 * Parses JSON of an option or a file; undefined for a text that is none.
 * @throws Problem `invalid-input` for a value that would be kept otherwise than it was written
 */
export function exactJson(json: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return undefined
  }
  requireExact(json)
  return value
}
