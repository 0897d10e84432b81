import { read } from '@svc/core'
import type { Struct } from 'superstruct'
import { compiled, REFUSED } from './compiled.ts'
import type { Shape } from './shape.ts'

/** How a route reads its request body. */
export interface Body<Input> {
  readonly shape: Shape
  /** Most bytes of the body; more is 413. */
  readonly maxBytes: number
  /** The body may also be a form, by content type: for routes that web pages call. */
  readonly form?: true
  /**
   * The value, unknown keys stripped. @throws Problem `invalid-input` with at most 12 field-scoped messages
   */
  read(value: unknown): Input
}

/** Most request bytes on every route except job logs (wire: Compatibility rules). */
export const MAX_BODY_BYTES = 64 * 1024

/** A JSON body. */
export function jsonBody<T, S>(struct: Struct<T, S>, maxBytes: number = MAX_BODY_BYTES): Body<T> {
  return { shape: struct, maxBytes, read: (value) => read(struct, value) }
}

/** A body that comes as a form or as JSON. */
export const formBody = <T, S>(struct: Struct<T, S>): Body<T> => ({ ...jsonBody(struct), form: true })

/**
 * A JSON body of a route that hosts call all the time: a compiled reader reads good bodies, and the struct is
 * used only for the error messages of bad ones.
 */
export function hotJsonBody<T, S>(struct: Struct<T, S>, maxBytes: number = MAX_BODY_BYTES): Body<T> {
  const quick = compiled(struct)
  const readValue = (value: unknown): T => {
    const kept = quick(value)
    return kept === REFUSED ? read(struct, value) : (kept as T)
  }
  return { shape: struct, maxBytes, read: readValue }
}
