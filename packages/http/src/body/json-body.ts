import type { IncomingMessage } from 'node:http'
import { yieldToEventLoop } from '@svc/core'
import { ClientGone, Refusal } from '../errors.ts'
import { parseJson } from './json-text.ts'
import type { RequestShare } from './request-bytes.ts'

/**
 * Bytes that the client of a refused upload may still send before its connection is cut, so that the client
 * can read the answer.
 */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024
/**
 * Bodies longer than this are joined and parsed in separate turns of the event loop: for 8 MB each takes some
 * 40 ms.
 */
const LONG_BYTES = 256 * 1024

/**
 * Reads a JSON body, whatever its Content-Type says. Bodies are not inflated: a compressed body is refused
 * like broken JSON, so no small request grows into a large one.
 * @throws Refusal `invalid-json` or `payload-too-large`, Problem `unavailable`, or ClientGone
 */
export function readJsonBody(
  request: IncomingMessage,
  maxBytes: number,
  share: RequestShare,
): Promise<unknown> {
  if (isCoded(request)) throw new Refusal('invalid-json')
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    discard(request)
    throw new Refusal('payload-too-large')
  }
  return readValue(request, maxBytes, share)
}

/** Whether a body has a `Content-Encoding` other than `identity`. */
export function isCoded({ headers }: IncomingMessage): boolean {
  const coding = headers['content-encoding']?.trim().toLowerCase()
  return coding !== undefined && coding !== '' && coding !== 'identity'
}

function readValue(request: IncomingMessage, maxBytes: number, share: RequestShare): Promise<unknown> {
  if (request.readableEnded) {
    throw new Error('the body was read by somebody else: mount the control plane before body parsers')
  }
  // A client that left while the gate ran emits no further `close` event.
  if (request.destroyed) throw new ClientGone()
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const chunks: Buffer[] = []
  let length = 0
  let isWhole = false
  const onData = (chunk: Buffer) => {
    length += chunk.length
    try {
      if (length > maxBytes) throw new Refusal('payload-too-large')
      share.take(chunk.length)
      chunks.push(chunk)
    } catch (error) {
      request.off('data', onData).off('end', onEnd)
      discard(request)
      reject(error)
    }
  }
  const onEnd = () => {
    isWhole = true
    if (length > LONG_BYTES) {
      resolve(readLong(chunks))
      return
    }
    try {
      resolve(parseJson(textOf(chunks)))
    } catch (refusal) {
      reject(refusal)
    }
  }
  // Every request emits `close`; only a request that closes before its end has lost its client.
  const onGone = () => {
    if (!isWhole) reject(new ClientGone())
  }
  request.on('data', onData)
  request.on('end', onEnd)
  // No listener for `error` is needed: Node emits it only if there is a listener, and emits `close` after it.
  request.on('close', onGone)
  return promise
}

async function readLong(chunks: readonly Buffer[]): Promise<unknown> {
  await yieldToEventLoop()
  const text = textOf(chunks)
  await yieldToEventLoop()
  return parseJson(text)
}

function textOf(chunks: readonly Buffer[]): string {
  const [only, ...others] = chunks
  if (only === undefined) return ''
  return (others.length === 0 ? only : Buffer.concat(chunks)).toString('utf8')
}

/** Reads and drops the rest of a refused body, up to a limit, so that the client can read the refusal. */
function discard(request: IncomingMessage): void {
  let discarded = 0
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > MAX_DISCARDED_BYTES) request.destroy()
  })
}
