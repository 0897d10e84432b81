import type { IncomingMessage } from 'node:http'
import { ownTurn } from '@svc/core'
import { ClientGone, Refusal } from '../errors.ts'
import { parseJson } from './json-text.ts'
import type { RequestShare } from './request-bytes.ts'

/**
 * What a refused upload may still send before its connection is cut: until then it gets to read its answer.
 */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024
/** Longer bodies are put together and parsed in turns of their own: 8 MB take some 40 ms each. */
const LONG_BYTES = 256 * 1024

/**
 * Reads a JSON body, whatever its Content-Type says. Bodies are not inflated: a coded one is as unreadable as
 * broken JSON, and no small request grows into a large one.
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

/** Whether a body is compressed, or says that it is something which is not known here. */
export function isCoded({ headers }: IncomingMessage): boolean {
  const coding = headers['content-encoding']?.trim().toLowerCase()
  return coding !== undefined && coding !== '' && coding !== 'identity'
}

function readValue(request: IncomingMessage, maxBytes: number, share: RequestShare): Promise<unknown> {
  if (request.readableEnded) {
    throw new Error('the body was read by somebody else: mount the control plane before body parsers')
  }
  // Who left while the gate was asked is not heard leaving any more.
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
  // Every request closes in the end; only one that closes before its end has lost its client.
  const onGone = () => {
    if (!isWhole) reject(new ClientGone())
  }
  request.on('data', onData)
  request.on('end', onEnd)
  // An error is nothing more: Node tells of one only where somebody listens, and closes after it.
  request.on('close', onGone)
  return promise
}

async function readLong(chunks: readonly Buffer[]): Promise<unknown> {
  await ownTurn()
  const text = textOf(chunks)
  await ownTurn()
  return parseJson(text)
}

function textOf(chunks: readonly Buffer[]): string {
  const [only, ...others] = chunks
  if (only === undefined) return ''
  return (others.length === 0 ? only : Buffer.concat(chunks)).toString('utf8')
}

/** Lets the rest of a refused body pass by, so that the client can read why; not for ever. */
function discard(request: IncomingMessage): void {
  let discarded = 0
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > MAX_DISCARDED_BYTES) request.destroy()
  })
}
