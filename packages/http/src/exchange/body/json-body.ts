import type { IncomingMessage } from 'node:http'
import { read, requireExact, yieldToEventLoop } from '@svc/core/adapters'
import type { Struct } from 'superstruct'
import { Refusal } from '../errors.ts'
import { type Body, JSON_BODY_TYPE, type Received } from './body.ts'
import { compiled, MISMATCH } from './compiled.ts'
import { parseJson } from './json-text.ts'
import { type ReadLimits, readBytes } from './request-bytes.ts'
import type { Shape } from './shape.ts'

/** Most request bytes on every route except job logs. */
export const MAX_BODY_BYTES = 64 * 1024

/**
 * Bodies longer than this are joined and parsed in separate turns of the event loop: for 8 MB each takes some
 * 40 ms.
 */
export const LONG_BYTES = 256 * 1024

/** A body that is a JSON value. */
export interface JsonBody<Input> extends Body<Input> {
  readonly shape: Shape
  /**
   * The handler's input of a parsed value, unknown keys stripped.
   * @throws Problem `invalid-input` with at most 12 field-scoped messages
   */
  accept(value: unknown): Input
}

/**
 * A JSON body, with any Content-Type. Numbers and texts that would not be kept as they were sent are refused.
 */
export const jsonBody = <T, S>(struct: Struct<T, S>, maxBytes: number = MAX_BODY_BYTES): JsonBody<T> =>
  jsonBodyOf(struct, maxBytes, (value) => read(struct, value), requireExact)

/**
 * A JSON body of a route that hosts call all the time: a compiled reader reads good bodies, and the struct is
 * used only for the error messages of bad ones. Hosts send programs' output: NUL is taken out of it.
 */
export function hotJsonBody<T, S>(struct: Struct<T, S>, maxBytes: number = MAX_BODY_BYTES): JsonBody<T> {
  const quick = compiled(struct)
  return jsonBodyOf(struct, maxBytes, (value) => {
    const kept = quick(value)
    return kept === MISMATCH ? read(struct, value) : (kept as T)
  })
}

const jsonBodyOf = <T>(
  shape: Shape,
  maxBytes: number,
  accept: (value: unknown) => T,
  check?: (text: string) => void,
): JsonBody<T> => ({
  types: [JSON_BODY_TYPE],
  shape,
  maxBytes,
  accept,
  read: (received) => {
    const { req, share } = received
    if (req.readableEnded) return readEarlier(received, maxBytes, accept, check)
    return readJson(req, { maxBytes, share }, accept, check)
  },
})

/** A body that the application around has parsed, by the names of Express and of Koa. */
const parsedEarlier = ({ req, ctx }: Received): unknown =>
  (ctx?.request as { body?: unknown } | undefined)?.body ?? (req as { body?: unknown }).body

/**
 * Takes a body that somebody else has read, held to the same limits: its text is written once more.
 * @throws Refusal `body-was-read` where nobody kept it, and as `readJson`
 */
function readEarlier<T>(
  received: Received,
  maxBytes: number,
  accept: (value: unknown) => T,
  check?: (text: string) => void,
): T | Promise<T> {
  const { req, share } = received
  const value = parsedEarlier(received)
  // There is nothing left to read, so this refuses with the way out.
  if (value === undefined) return readJson(req, { maxBytes, share }, accept, check)
  const text = typeof value === 'string' ? value : writtenOnce(value)
  if (Buffer.byteLength(text) > maxBytes) throw new Refusal('payload-too-large')
  const input = accept(parseJson(text))
  check?.(text)
  return input
}

const writtenOnce = (value: unknown): string =>
  Buffer.isBuffer(value) ? value.toString('utf8') : JSON.stringify(value)

/**
 * Reads a JSON body and returns the result of `accept` for its value, if `check` then finds no fault with
 * its text.
 * @throws Refusal `invalid-json` or `payload-too-large`, Problem `unavailable`, ClientGone, or the error of
 * `accept` or `check`
 */
export function readJson<T>(
  request: IncomingMessage,
  limits: ReadLimits,
  accept: (value: unknown) => T,
  check?: (text: string) => void,
): Promise<T> {
  const readText = (text: string): T => {
    const input = accept(parseJson(text))
    check?.(text)
    return input
  }
  return readBytes(request, limits, (chunks, length) =>
    length > LONG_BYTES ? inTurns(chunks).then(readText) : readText(textOf(chunks)),
  )
}

async function inTurns(chunks: readonly Buffer[]): Promise<string> {
  await yieldToEventLoop()
  const text = textOf(chunks)
  await yieldToEventLoop()
  return text
}

function textOf(chunks: readonly Buffer[]): string {
  const [only, ...others] = chunks
  if (only === undefined) return ''
  return (others.length === 0 ? only : Buffer.concat(chunks)).toString('utf8')
}
