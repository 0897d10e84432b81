import type { Socket } from 'node:net'
import { Client, type Dispatcher } from 'undici'
import type { Deadline } from './deadline.ts'
import type { OutboundLimits, OutboundMethod } from './outbound-request.ts'
import { Refused } from './refusal.ts'
import type { Target } from './target.ts'

/** What is sent to one target. */
export interface Message {
  readonly method: OutboundMethod
  readonly headers: Headers
  readonly body: string | Uint8Array | undefined
}

/** What came back. */
export interface Received {
  readonly status: number
  readonly headers: Headers
  /** The bytes as they were sent: a compressed body stays compressed. */
  readonly body: Uint8Array
}

/** A client that has this one connection and can make no other, whatever it thinks it should retry. */
function clientOn(socket: Socket, target: Target, limits: OutboundLimits): Client {
  let isTaken = false
  return new Client(target.url.origin, {
    maxHeaderSize: limits.maxHeaderBytes,
    // The deadline counts: the client's own timers tick by the second.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_options, callback) => {
      const isFirst = !isTaken
      isTaken = true
      // Later, as a real connection would be there: answered at once, the client never sends the request.
      queueMicrotask(() => (isFirst ? callback(null, socket) : callback(new Refused('broken'), null)))
    },
  })
}

/** Sends one request over the connection and reads its answer within the caps, then closes the connection. */
export async function exchange(
  parts: { socket: Socket; target: Target; message: Message; limits: OutboundLimits },
  deadline: Deadline,
): Promise<Received> {
  const { socket, target, message, limits } = parts
  const client = clientOn(socket, target, limits)
  try {
    deadline.step(limits.answerMs)
    const answer = await client.request({
      method: message.method,
      path: `${target.url.pathname}${target.url.search}`,
      headers: Object.fromEntries(message.headers),
      body: message.body ?? null,
      signal: deadline.signal,
      reset: true,
    })
    deadline.step()
    const body = await readBody(answer, message.method, limits.maxBytes)
    return { status: answer.statusCode, headers: readHeaders(answer.headers), body }
  } finally {
    await client.destroy()
    socket.destroy()
  }
}

function readHeaders(given: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers()
  for (const [name, value = []] of Object.entries(given)) {
    for (const each of [value].flat()) {
      try {
        headers.append(name, each)
      } catch {
        throw new Refused('protocol')
      }
    }
  }
  return headers
}

async function readBody(
  answer: Dispatcher.ResponseData,
  method: OutboundMethod,
  maxBytes: number,
): Promise<Uint8Array> {
  const announced = Number(answer.headers['content-length'] ?? 0)
  if (method !== 'HEAD' && announced > maxBytes) throw new Refused('too-large')
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > maxBytes) throw new Refused('too-large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}
