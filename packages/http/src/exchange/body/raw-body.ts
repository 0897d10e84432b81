import { yieldToEventLoop } from '@svc/core/adapters'
import type { GateRequest } from '../route.ts'
import type { Body } from './body.ts'
import { LONG_BYTES } from './json-body.ts'
import { readBytes } from './request-bytes.ts'

const ANY_TYPE = 'application/octet-stream'

/** Options of a body that is taken as bytes. */
export interface RawBodyParts<Input> {
  /** Most bytes of the body; more is 413. */
  readonly maxBytes: number
  /** Media types for the API document; default `application/octet-stream`. */
  readonly types?: readonly string[]
  /**
   * Checks the bytes exactly as they arrived, for example against a signature, before anything parses them.
   * Returns the handler's input.
   * @throws Problem when the bytes are not genuine
   */
  verify(bytes: Buffer, request: GateRequest): Input | Promise<Input>
}

/**
 * A body whose route needs the bytes themselves, with any Content-Type: a signature covers the bytes, and a
 * parsed and rewritten document has others. An empty body is a buffer without bytes.
 */
export const rawBody = <Input>({
  maxBytes,
  types = [ANY_TYPE],
  verify,
}: RawBodyParts<Input>): Body<Input> => ({
  types,
  maxBytes,
  read: ({ req, share, request }) =>
    readBytes(req, { maxBytes, share }, async (chunks, length) => {
      if (length > LONG_BYTES) await yieldToEventLoop()
      return verify(Buffer.concat(chunks), request)
    }),
})
