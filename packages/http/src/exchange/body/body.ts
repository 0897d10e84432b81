import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import type { GateRequest } from '../route.ts'
import type { RequestShare } from './request-bytes.ts'
import type { Shape } from './shape.ts'

/** The media type of JSON bodies, as the API document names it. */
export const JSON_BODY_TYPE = 'application/json'
/** The media type of forms. */
export const FORM_BODY_TYPE = 'application/x-www-form-urlencoded'

/** A request that its gate has admitted, as a body reads it. */
export interface Received {
  readonly req: IncomingMessage
  /** Koa's context, if Koa handles the request: it is needed to read forms. */
  readonly ctx: Context | undefined
  /** Counts the bytes of this request that are in memory. */
  readonly share: Pick<RequestShare, 'take'>
  /** The gate's view of the request. */
  readonly request: GateRequest
}

/** How a route reads its request body. */
export interface Body<Input> {
  /** Media types for the API document; a request with another Content-Type is read too. */
  readonly types: readonly string[]
  /** The shape of the value, for the API document; absent if the route takes bytes. */
  readonly shape?: Shape
  /** Most bytes of the body; more is 413. */
  readonly maxBytes: number
  /**
   * Reads the body and returns the handler's input.
   * @throws Refusal `invalid-json` or `payload-too-large`, ClientGone, Problem `unavailable` or one of the
   * route's own
   */
  read(received: Received): Input | Promise<Input>
}
